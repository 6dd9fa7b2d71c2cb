#!/usr/bin/env bash
# What one checkpoint costs as a chain grows: begin, record (with an envelope) and reset, in
# milliseconds of wall time, and verify and log over the whole chain at the end.
#
#   benches/records.sh BINARY [CHECKPOINTS]        1,000 where not given
#
# Prints CSV: checkpoint, begin, record, reset; medians of the fifty checkpoints up to it.
set -euo pipefail
binary=$(realpath "$1")
last=${2:-1000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.invalid
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.invalid
git init -q -b main "$folder/repo"
cd "$folder/repo"
mkdir src
for n in $(seq 200); do printf 'def f%s(a):\n    return a + %s\n' "$n" "$n" >"src/m$n.py"; done
git add -A
git commit -qm start
printf '{"session":"%s"}\n' "$(seq -s, 400)" >"$folder/envelope.json"

# Milliseconds that a command of ours takes.
clocked() {
    local start end
    start=$(date +%s%N)
    "$binary" "$@" 2>/dev/null
    end=$(date +%s%N)
    echo $(((end - start) / 1000000))
}

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

echo "checkpoint,begin_ms,record_ms,reset_ms"
: >"$folder/begin"; : >"$folder/record"; : >"$folder/reset"
for k in $(seq "$last"); do
    clocked begin exp/arm/1 "$k" >>"$folder/begin"
    printf 'def f1(a):\n    return a + %s\n' "$k" >src/m1.py
    printf 'def g%s(a):\n    return a\n' "$k" >>"src/m$((k % 200 + 1)).py"
    clocked record --envelope "$folder/envelope.json" >>"$folder/record"
    clocked reset >>"$folder/reset"
    if [ $((k % 50)) -eq 0 ] && { [ $((k % 250)) -eq 0 ] || [ "$k" -le 100 ]; }; then
        echo "$k,$(tail -n 50 "$folder/begin" | median),$(tail -n 50 "$folder/record" | median),$(tail -n 50 "$folder/reset" | median)"
    fi
done
for words in "status" "verify" "log --metrics churn" "log"; do
    # shellcheck disable=SC2086  # words are words
    echo "$words: $(clocked $words >"$folder/took"; tail -n 1 "$folder/took") ms"
done
