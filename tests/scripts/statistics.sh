#!/usr/bin/env bash
# Writes fixtures/statistics/cases.json and random.json anew, with numpy, scipy and statsmodels in
# a virtual environment of its own (VENV, default: target/venv).
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=${VENV:-target/venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet numpy scipy statsmodels
"$venv/bin/python" tests/scripts/statistics.py cases > fixtures/statistics/cases.json
"$venv/bin/python" tests/scripts/statistics_random.py > fixtures/statistics/random.json
