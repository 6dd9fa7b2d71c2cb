#!/bin/sh
# The report in a real browser; README.md says what it needs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${EVOLVE:=$top/target/debug/git-evolve}"
: "${CHROMIUM:=$(command -v chromium || command -v chromium-browser || true)}"
: "${NODE_MODULES:=$here}"
export CHROMIUM NODE_MODULES
for need in "$EVOLVE" "$CHROMIUM" "$NODE_MODULES/node_modules/axe-core" \
    "$NODE_MODULES/node_modules/puppeteer-core"; do
    if [ ! -e "$need" ]; then
        echo "skipped: there is no ${need:-chromium} (tests/report/README.md)"
        exit 0
    fi
done
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
if [ $# -eq 0 ]; then
    "$EVOLVE" demo "$out/demo" >/dev/null 2>&1
    set -- "$out/demo"
fi
for repository; do
    name=$(basename "$repository")
    "$EVOLVE" -C "$repository" report -o "$out/$name.html"
    "$EVOLVE" -C "$repository" log --metrics all --format csv >"$out/$name.csv" 2>/dev/null || true
    echo "$name: $(wc -c <"$out/$name.html") bytes"
    node "$here/page.mjs" "$out/$name.html" "$out/$name.csv" "$out/$name-shots"
done
echo "pictures: $out"
