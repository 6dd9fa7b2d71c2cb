#!/usr/bin/env bash
# Times git-evolve on a large experiment (2 arms × 10 chains × 60 checkpoints × 300 tests) from a
# clone made for it, beside `git log -p` of all its chains: CPU seconds, wall seconds, peak memory.
#
#   benches/experiment.sh [FOLDER]
#
# FOLDER holds an experiment or is where one is made; default: a temporary one. EVOLVE names the
# binary; default: a build with the profile `quick`. SIZE=CHAINS,CHECKPOINTS,TESTS,FILES makes
# another size.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
profile=${PROFILE:-quick}
if [ -z "${EVOLVE:-}" ]; then
  cargo build --profile "$profile" --quiet
  EVOLVE=$here/target/$profile/git-evolve
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=${1:-$work/experiment}
if [ ! -d "$made/.git" ]; then
  EVOLVE_LARGE=$made EVOLVE_LARGE_SIZE=${SIZE:-10,60,300,40} cargo test --profile "$profile" \
    --quiet --test main simulate::a_large_experiment -- --ignored >/dev/null
fi
git clone --quiet --no-local "$made" "$work/clone"
cd "$work/clone"
mapfile -t chains < <(git for-each-ref --format='%(refname)' refs/remotes/origin/evolve/)
printf '%-44s %8s %8s %8s\n' "$(git rev-list --count "${chains[@]}") commits, ${#chains[@]} chains" 'CPU s' 'wall s' MiB
timed() {
  local name=$1
  shift
  /usr/bin/time -o "$work/took" -f '%U %S %e %M' "$@" >/dev/null 2>&1 || true
  tail -n 1 "$work/took" | awk -v name="$name" \
    '{ printf "%-44s %8.2f %8.2f %8.0f\n", name, $1 + $2, $3, $4 / 1024 }'
}
timed 'git log -p' git log -p "${chains[@]}"
timed log "$EVOLVE" log --format csv
timed 'slope, default measures' "$EVOLVE" slope
timed 'slope, all measures' "$EVOLVE" slope --metrics all
timed 'slope, all measures, 1 thread' "$EVOLVE" slope --metrics all --threads 1
timed 'slope, cost alone' "$EVOLVE" slope --metrics cost_usd
for command in compare report; do
  "$EVOLVE" "$command" -h >/dev/null 2>&1 || continue
  case $command in
    report) timed report "$EVOLVE" report -o "$work/report.html" ;;
    *) timed "$command, all measures" "$EVOLVE" "$command" --metrics all ;;
  esac
done
