#!/usr/bin/env python3
"""Holds an imported run of SlopCodeBench to the run's own rows.

    slopcodebench.py PROGRAM REPOSITORY RUN_DIR EXPERIMENT/ARM

For every row of RUN_DIR/checkpoint_results.jsonl: tests, cost, tokens, steps and times of the
chain EXPERIMENT/ARM/<problem>/1 equal the row's, and erosion in profile `scb` is within 0.013 of its column
mass.high_cc_pct. Regressions are counted anew from the evaluations, over tests that both
checkpoints list. Exits with 1 where something differs.
"""

import csv
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

WITHIN = 0.013

# The benchmark's erosion takes in tests that the agent wrote, and of Python `.py` alone, no stubs.
EVERYTHING = ("--tests", "no-such-folder/**", "--source", "**/*.py")

# Measure to the row's column.
EQUAL = {
    "cost_usd": "cost",
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_creation_tokens": "cache_write",
    "reasoning_tokens": "reasoning",
    "num_turns": "steps",
}
RATES = {
    "strict_pass_rate": ("passed_tests", "total_tests"),
    "core_pass_rate": ("core_passed", "core_total"),
}
GROUPS = ("core", "error", "functionality", "regression")


def slug(name):
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")


def evolve(program, repository, *words):
    out = subprocess.run(
        [program, "-C", repository, *words], capture_output=True, text=True, check=False
    )
    if out.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}: {out.stderr}")
    return out.stdout


def rows_of(run):
    text = (run / "checkpoint_results.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def outcomes(run, row):
    """Test to outcome, from the evaluation that the row is of."""
    file = run / row["problem"] / row["checkpoint"] / "evaluation.json"
    told = json.loads(file.read_text())
    tests = {}
    for key, group in told["tests"].items():
        for outcome in ("passed", "failed", "skipped"):
            for name in group[outcome]:
                tests[f"{key.rsplit('-', 1)[0]}::{name}"] = outcome
    return tests, told["infrastructure_failure"]


def main():
    program, repository, run, arm = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
    everything = len(rows_of(run))
    skilled = "post_checkpoint_skill: null" not in (run / "config.yaml").read_text()
    rows = [r for r in rows_of(run) if (run / r["problem"] / r["checkpoint"] / "snapshot").is_dir()]
    wanted = [*EQUAL, *RATES, "iso_pass_rate", "wall_ms", "regressions", "erosion", "outcome"]
    problems = sorted({r["problem"] for r in rows})
    wrong, cells, skipped_apart, empty, erosions = [], 0, 0, 0, []
    for problem in problems:
        chain = f"{arm}/{slug(problem)}/1"
        at = ["--at", "implement"] if skilled else []
        text = evolve(program, repository, "log", "--chain", chain, "--format", "csv",
                      "--profile", "scb", "--metrics", ",".join(wanted), *EVERYTHING, *at)
        told = {}
        for r in csv.DictReader(io.StringIO(text)):
            of = told.setdefault(int(r["checkpoint"]), dict.fromkeys(wanted, ""))
            # Of several languages the benchmark looks at one.
            if r["language"] in ("", "python"):
                of[r["metric"]] = r["value"]
        before = None
        for row in [r for r in rows if r["problem"] == problem]:
            k = int(row["checkpoint"].rsplit("_", 1)[1])
            mine = told.get(k)
            where = f"{problem}@{k}"
            if mine is None:
                wrong.append(f"{where}: no checkpoint")
                continue

            def same(measure, expected, exact=True):
                nonlocal cells
                cells += 1
                got = mine[measure]
                close = got != "" and math.isclose(float(got), expected, rel_tol=1e-9, abs_tol=1e-9)
                if not close:
                    wrong.append(f"{where}: {measure} is {got or 'empty'}, the row has {expected}")

            for measure, column in EQUAL.items():
                same(measure, row[column])
            same("wall_ms", round(row["duration"] * 1000))
            if not skilled:
                tests, failure = outcomes(run, row)
                if failure:
                    cells += 1
                    if mine["strict_pass_rate"] != "":
                        wrong.append(f"{where}: a verdict of a run that had none")
                else:
                    cells += check_tests(mine, row, tests, where, wrong)
                    skips = sum(o == "skipped" for o in tests.values())
                    skipped_apart += bool(skips)
                    if before is not None:
                        lost = [t for t, o in before.items()
                                if o == "passed" and t in tests and tests[t] != "passed"]
                        same("regressions", len(lost))
                    before = tests
            if row.get("mass.high_cc_pct") is not None:
                # Without functions it is undefined here, and 0 there.
                value = float(mine["erosion"]) if mine["erosion"] else 0.0
                empty += not mine["erosion"]
                if not mine["erosion"] and row["functions"] + row["methods"]:
                    value = math.nan
                erosions.append((abs(value - row["mass.high_cc_pct"]), where, value,
                                 row["mass.high_cc_pct"]))
    far = [e for e in erosions if not e[0] <= WITHIN]
    for distance, where, value, theirs in sorted(far, reverse=True):
        wrong.append(f"{where}: erosion {value}, the row has {theirs} ({distance:.4f})")
    mean = sum(e[0] for e in erosions if e[0] == e[0]) / max(len(erosions), 1)
    if everything > len(rows):
        print(f"{everything - len(rows)} rows of checkpoints without a state are left out")
    print(f"{len(rows)} rows, {cells} cells, {skipped_apart} checkpoints with skipped tests "
          f"(left out of both sides of a rate)")
    print(f"erosion: {len(erosions)} states, mean distance {mean:.4f}, "
          f"greatest {max((e[0] for e in erosions), default=0):.4f}, {len(far)} over {WITHIN}; "
          f"{empty} without functions (undefined here, 0 there)")
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


def check_tests(mine, row, tests, where, wrong):
    """Pass rates, of which skipped tests are left out here and counted there."""
    cells = 0
    skipped = sum(o == "skipped" for o in tests.values())
    passed = sum(o == "passed" for o in tests.values())
    if (passed, len(tests)) != (row["passed_tests"], row["total_tests"]):
        wrong.append(f"{where}: the row's tests are not its evaluation's")
    own = row["total_tests"] - row["regression_total"]
    expected = {
        "strict_pass_rate": (passed, len(tests) - skipped),
        "core_pass_rate": (row["core_passed"], row["core_total"]),
        "iso_pass_rate": (row["passed_tests"] - row["regression_passed"], own),
    }
    # A skipped test of its own is told apart only by its key.
    key = f"{row['checkpoint']}::"
    own_skips = sum(o == "skipped" and t.startswith(key) for t, o in tests.items())
    passed_own, total_own = expected["iso_pass_rate"]
    expected["iso_pass_rate"] = (passed_own, total_own - own_skips)
    for measure, (part, whole) in expected.items():
        cells += 1
        got = mine[measure]
        value = part / whole if whole else None
        if value is None:
            ok = got == ""
        else:
            ok = got != "" and math.isclose(float(got), value, rel_tol=1e-9)
        if not ok:
            wrong.append(f"{where}: {measure} is {got or 'empty'}, the row has {part}/{whole}")
    return cells


if __name__ == "__main__":
    main()
