#!/usr/bin/env bash
# Times git-evolve on a repository and range beside `git log --first-parent -p -U0` over the same
# range, in turn, and prints medians: CPU seconds (user + system), wall seconds, peak memory, and
# the ratios to git log, taken pair by pair.
#
#   benches/compare.sh REPO RANGE [REPEATS]
#
# RANGE is A..B (A is then the base) or a revision (the whole line up to it). EVOLVE names the
# binary; default: a release build. Rows: all measures on one thread and on two with the range's
# start as base, the same with the default lookback, and what needs no parsing.
set -euo pipefail

repo=${1:?usage: benches/compare.sh REPO RANGE [REPEATS]}
range=${2:?usage: benches/compare.sh REPO RANGE [REPEATS]}
repeats=${3:-5}
here=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${EVOLVE:-}" ]; then
  (cd "$here" && cargo build --release --quiet)
  EVOLVE=$here/target/release/git-evolve
fi
command -v python3 >/dev/null || { echo "compare.sh needs python3 to read the kernel's accounting" >&2; exit 2; }

exec python3 - "$EVOLVE" "$repo" "$range" "$repeats" <<'PY'
import os, statistics, subprocess, sys, time

evolve, repo, span, repeats = sys.argv[1:5]
repeats = int(repeats)
base, _, tip = span.rpartition("..")
git_log = ["git", "-C", repo, "log", "--first-parent", "-p", "-U0", span]
since = ["--base", base] if base else ["--base", subprocess.run(
    ["git", "-C", repo, "rev-list", "--first-parent", "--max-parents=0", tip],
    check=True, capture_output=True, text=True).stdout.split()[-1]]
commits = subprocess.run(["git", "-C", repo, "rev-list", "--count", "--first-parent", span],
                         check=True, capture_output=True, text=True).stdout.strip()
common = [evolve, "-C", repo, "log", span, "--last", commits, "--format", "jsonl"]
rows = [
    ("all, 1 thread, base at the start", [*common, "--metrics", "all", "--threads", "1", *since]),
    ("all, 2 threads, base at the start", [*common, "--metrics", "all", "--threads", "2", *since]),
    ("all, 1 thread, default lookback", [*common, "--metrics", "all", "--threads", "1"]),
    ("no parsing, 1 thread", [*common, "--metrics", "churn,reedit_settled_rate", "--threads", "1", *since]),
]

def once(argv):
    start = time.monotonic()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(argv)}: exit {process.returncode}")
    return used.ru_utime + used.ru_stime, time.monotonic() - start, used.ru_maxrss / 1024

def median(values):
    return statistics.median(values)

print(f"{os.path.basename(repo.rstrip('/'))} {span}: {commits} changes, {repeats} runs in turn")
print(f"{'':36} {'CPU s':>8} {'wall s':>8} {'MiB':>6} {'x CPU':>7} {'x wall':>7}")
once(git_log)
logs = []
for name, argv in rows:
    once(argv)
    pairs = [(once(git_log), once(argv)) for _ in range(repeats)]
    logs += [p[0] for p in pairs]
    ours = [p[1] for p in pairs]
    cpu = median([b[0] / a[0] for a, b in pairs])
    wall = median([b[1] / a[1] for a, b in pairs])
    print(f"{name:36} {median([b[0] for b in ours]):8.3f} {median([b[1] for b in ours]):8.3f} "
          f"{max(b[2] for b in ours):6.0f} {cpu:7.2f} {wall:7.2f}", flush=True)
print(f"{'git log --first-parent -p -U0':36} {median([a[0] for a in logs]):8.3f} "
      f"{median([a[1] for a in logs]):8.3f} {max(a[2] for a in logs):6.0f} {1:7.2f} {1:7.2f}")
PY
