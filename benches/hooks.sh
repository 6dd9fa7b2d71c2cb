#!/usr/bin/env bash
# Times what the hooks add to a commit, an amend and a push in a repository of many files, and
# prints medians in milliseconds: without hooks, with them and no checkpoint open, with an open
# one (post-commit then writes a line), with records on the commit that is amended (post-rewrite
# then copies them).
#
#   benches/hooks.sh [FILES] [REPEATS]
#
# EVOLVE names the binary; default: a release build.
set -euo pipefail

files=${1:-5000}
repeats=${2:-21}
here=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${EVOLVE:-}" ]; then
  (cd "$here" && cargo build --release --quiet)
  EVOLVE=$here/target/release/git-evolve
fi
command -v python3 >/dev/null || { echo "hooks.sh needs python3 to take the time" >&2; exit 2; }

exec python3 - "$EVOLVE" "$files" "$repeats" <<'PY'
import json, os, statistics, subprocess, sys, tempfile, time

evolve, files, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
home = tempfile.TemporaryDirectory()
repo = os.path.join(home.name, "repo")
who = {f"GIT_{r}_{w}": v for r in ("AUTHOR", "COMMITTER") for w, v in (("NAME", "t"), ("EMAIL", "t@example.invalid"))}
env = {"PATH": os.environ["PATH"], "HOME": home.name, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", **who}

def git(*words, feed=None):
    done = subprocess.run(["git", "-C", repo, *words], check=True, env=env, input=feed, capture_output=True)
    return done.stdout.decode().strip()

os.makedirs(repo)
git("init", "-q", "-b", "main")
for i in range(files):
    path = os.path.join(repo, f"d{i // 100}", f"f{i}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(f"{i}\n" * 20)
git("add", "-A")
git("commit", "-q", "-m", "all")
subprocess.run(["git", "init", "-q", "--bare", repo + ".server"], check=True, env=env)
git("remote", "add", "origin", repo + ".server")

def took(*words):
    times = []
    for i in range(repeats):
        start = time.perf_counter()
        git(*(w.replace("{i}", f"{len(times)}-{start}") for w in words))
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)

def records():
    head, tree, parent = (git("rev-parse", r) for r in ("HEAD", "HEAD^{tree}", "HEAD~1"))
    for kind in ("checkpoint", "envelope", "tests"):
        line = {"v": 1, "kind": kind, "id": "0192f0c6-1001-7abc-8def-0123456789ab", "commit": head,
                "tree": tree, "parent": parent, "chain": "a/b/1", "checkpoint": 1, "checkpoint_id": "c",
                "role": "agent", "begin": "0192f0c5-7a3b-7c41-9d2e-5f6a7b8c9d0e",
                "at": "2026-11-30T07:12:01.001Z", "tool": "git-evolve 0.1.0"}
        blob = git("hash-object", "-w", "--stdin", feed=(json.dumps(line, sort_keys=True) + "\n").encode())
        git("notes", f"--ref=refs/notes/evolve/{kind}", "add", "-f", "-C", blob)

commit = ("commit", "-q", "--allow-empty", "-m", "x{i}")
amend = ("commit", "-q", "--allow-empty", "--amend", "-m", "x{i}")
push = ("push", "-q", "origin", "main:refs/heads/b{i}")
rows = {}
for name in ("without hooks", "hooks, nothing open", "hooks, open checkpoint and records"):
    if name == "hooks, nothing open":
        subprocess.run([evolve, "-C", repo, "hooks", "install"], check=True, env=env, capture_output=True)
    git(*commit)
    if "open" in name and "nothing" not in name:
        os.makedirs(os.path.join(repo, ".git/evolve"), exist_ok=True)
        open(os.path.join(repo, ".git/evolve/pending.json"), "w").write("{}\n")
        records()
    # The amends first: each carries the records of the one before.
    rows[name] = [took(*amend), took(*commit), took(*push)]
print(f"{subprocess.run(['git', 'version'], capture_output=True, text=True).stdout.strip()}, {files} files, medians of {repeats}, ms")
print(f"{'':38} {'amend':>8} {'commit':>8} {'push':>8}")
for name, values in rows.items():
    print(f"{name:38} " + " ".join(f"{v:8.1f}" for v in values))
PY
