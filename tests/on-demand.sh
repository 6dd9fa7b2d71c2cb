#!/usr/bin/env bash
# The checks that need clones of public repositories. Not run by CI.
#
#   tests/on-demand.sh CLONE...
#   tests/on-demand.sh runs
#   tests/on-demand.sh simulations
#
# For each clone (bare ones will do): hunks, renames and line sources against git, line origins
# against git blame, and every version read from its neighbour against itself read from scratch.
# For a clone that has the commit of a file of reference rows (fixtures/rows), rows against the
# reference tools. With RECOMPUTE=1 (and lizard in the Python named by PYTHON, lizard 1.23.0 in the
# one named by PYTHON_JAVA) every measure of the last 200 changes against the slow second
# computation of tests/scripts.
#
# `runs` needs no clone: runs that are killed 200 times (KILLS says otherwise), and agents that
# misbehave without measure. `simulations` neither: how often intervals hold the truth and tests err
# in SIMULATIONS (2,000) experiments a row. tests/experiment.sh and tests/real-tools.sh stand by themselves.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,19p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "$1" = runs ]; then
  cd "$root"
  for test in kills::a_run_that_is_killed_again_and_again_makes_what_an_undisturbed_one_makes \
    experiment::misbehaving::what_agents_that_misbehave_without_measure_do_is_contained_recorded_and_told; do
    cargo test --profile "${PROFILE:-quick}" --test main "$test" -- --ignored --nocapture --exact
  done
  exit
fi
if [ "$1" = simulations ]; then
  cd "$root"
  cargo test --profile "${PROFILE:-quick}" --test main simulate::known_truth::in_a_long_run -- \
    --ignored --nocapture --test-threads 1
  exit
fi
clones=()
for c in "$@"; do clones+=("$(cd "$c" && pwd)"); done
cd "$root"
profile=${PROFILE:-quick}
check() {
  cargo test --profile "$profile" --test main "$1" -- --ignored --nocapture --exact
}
joined=$(IFS=:; echo "${clones[*]}")
export EVOLVE_CLONES=$joined
check diff_oracle::histories::whole_histories_have_the_hunks_that_git_gives_them
check diff_oracle::histories::whole_histories_have_the_renames_and_origins_that_git_finds
check line_origins::lines_of_whole_histories_have_the_writer_that_blame_names
check isolation::hostile::a_hundred_thousand_files_are_taken_in
check isolation::hostile::a_gigabyte_comes_in_as_a_stub_sparse_or_not
for clone in "${clones[@]}"; do
  echo "== $clone: read from neighbours and from scratch"
  HISTORY_CLONE=$clone check syntax_laws::whole_histories_read_from_neighbours_equal_themselves_read_from_scratch
  for rows in fixtures/rows/*.lizard.csv; do
    commit=$(sed -n 2p "$rows" | cut -d, -f2)
    if git -C "$clone" cat-file -e "$commit^{commit}" 2>/dev/null; then
      echo "== $clone: rows of $rows"
      ORACLE_CLONE=$clone ORACLE_ROWS=$root/${rows%.lizard.csv} \
        check syntax_oracle::a_public_repository_reads_as_the_reference_tools_read_it
    fi
  done
  if [ "${RECOMPUTE:-}" = 1 ]; then
    cargo build --profile "$profile" --quiet
    out=$(mktemp)
    "${PYTHON:-python3}" tests/scripts/recompute.py "$clone" HEAD 200 "$out" \
      --lizard-java "${PYTHON_JAVA:-${PYTHON:-python3}}" --program "target/$profile/git-evolve" || true
    rm -f "$out"
  fi
done
