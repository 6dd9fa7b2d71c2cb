#!/usr/bin/env bash
# Real test runners and coverage tools, end to end: their reports of the small projects in
# tests/real-tools are captured into a repository, published, and read back from a clone.
#
#   tests/real-tools.sh PROGRAM [WORK]
#
# Needs go, node with npm, java, Maven with Surefire, JUnit 4 and JaCoCo as Debian packages them
# (maven-debian-helper libsurefire-java junit4 libjacoco-java), python3 with venv; npm and pip
# fetch the rest into WORK. What is not installed is said and left out. Not run by CI.
set -euo pipefail
program=$(realpath "${1:?which program}")
work=${2:-$(mktemp -d)}
here=$(cd "$(dirname "$0")/real-tools" && pwd)
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 TZ=UTC
mkdir -p "$HOME" "$work/tools"
git config --global user.name Tester
git config --global user.email tester@example.invalid
git config --global init.defaultBranch main
bin=$work/bin && mkdir -p "$bin" && ln -sf "$program" "$bin/git-evolve" && PATH=$bin:$PATH
failed=0

# The repository: all projects without their code, so that a checkpoint brings each one's.
repo=$work/repo
rm -rf "$repo" "$work/clone" "$work/bare"
git init -q "$repo" && cd "$repo"
printf '%s\n' target/ node_modules/ __pycache__/ .pytest_cache/ '*.exec' coverage/ reports/ > .gitignore
git add -A && git commit -qm "the project"

# expect NAME OUTCOMES FILE...: what `inspect` reads out of the reports, against what the project
# was written to give.
expect() {
  local name=$1 wanted=$2 got
  shift 2
  got=$(git evolve inspect --format json "$@" | python3 -c '
import json, sys
d = json.load(sys.stdin)
c = d["counts"]
print(d["format"], d["validity"], c["passed"], c["failed"], c["error"], c["skipped"])')
  said "$name: report" "$wanted" "$got"
}
# said WHAT WANTED GOT
said() {
  if [ "$2" = "$3" ]; then
    echo "as expected  $1: $3"
  else
    echo "DIFFERS      $1: wanted $2, got $3"
    failed=1
  fi
}
have() { # have NAME COMMAND...
  local tool name=$1
  shift
  for tool in "$@"; do
    command -v "$tool" > /dev/null || { echo "left out     $name: $tool is not installed"; return 1; }
  done
}
run() { # run COMMAND...: its exit status is in $status, what it printed in console.txt
  status=0
  "$@" > "$to/console.txt" 2>&1 || status=$?
}
# two NAME FILE FROM TO: a chain of two checkpoints. The first brings the project in, the second
# puts TO for FROM in FILE and so breaks what passed; after each the tools run and are recorded.
two() {
  local k
  to=$work/reports/$1
  mkdir -p "$to"
  for k in 1 2; do
    git evolve begin "real/$1/1" $k 2> "$to/said.txt"
    [ $k = 2 ] || cp -r "$here/$1" .
    [ $k = 1 ] || sed -i "s/$3/$4/" "$1/$2"
    rm -rf "$to/now" && mkdir "$to/now"
    (cd "$1" && "tools_$1") || { echo "DIFFERS      $1: its tools did not run"; exit 1; }
    status=$(cat "$to/status")
    [ $k = 2 ] || "expect_$1"
    git evolve record --tests ${reports:?} --suite acceptance --exit-code "$status" \
      --console "$to/console.txt" 2>> "$to/said.txt"
    git evolve reset 2>> "$to/said.txt"
    # As a job that ends later would.
    git evolve attach "real/$1/1@$k" --coverage "$coverage" --build-root "$repo" 2>> "$to/said.txt"
  done
  git switch -q main
}
# tell NAME OUTCOMES: what the chain says of its two checkpoints, oldest first.
tell() {
  said "$1: outcome, passed, regressions, line coverage" "$2" "$(figures "$repo" "$1")"
}
figures() {
  git -C "$1" evolve log --chain "real/$2/1" --format csv \
    --metrics outcome,strict_pass_rate,regressions,suite_line_coverage 2> /dev/null | python3 -c '
import csv, sys
rows = {}
for r in csv.DictReader(sys.stdin):
    v = r["value"] if r["state"] == "known" else r["state"]
    if r["den"]:
        v = r["num"] + "/" + r["den"]
    rows.setdefault(int(r["checkpoint"]), []).append(v)
print("; ".join(" ".join(rows[k]) for k in sorted(rows)))'
}

tools_python() {
  run "$venv/bin/python" -m pytest --junitxml="$to/now/junit.xml" --cov=shop --cov-branch --cov-context=test
  echo $status > "$to/status"
  "$venv/bin/coverage" json -q --show-contexts -o "$to/coverage.json"
  "$venv/bin/python" -m pytest -q --json-report --json-report-file="$to/report.json" > "$to/second.txt" 2>&1 || true
  rm -rf .coverage
}
expect_python() {
  expect pytest "pytest-junit valid 4 1 1 2" --exit-code "$status" "$to/now/junit.xml"
  expect pytest-json-report "pytest-json valid 4 1 1 2" --exit-code "$status" "$to/report.json"
}
if have python python3; then
  venv=$work/tools/python
  [ -x "$venv/bin/pytest" ] \
    || { python3 -m venv "$venv" && "$venv/bin/pip" -q install pytest pytest-cov pytest-json-report coverage; }
  reports="$work/reports/python/now/junit.xml" coverage=$work/reports/python/coverage.json
  two python shop/cart.py 'count \* price' 'count * price + 1'
  tell python "fail 4/6 unknown 5/6; fail 4/7 2 5/6"
fi

tools_go() {
  run go test -json -coverprofile="$to/cover.out" ./...
  cp "$to/console.txt" "$to/now/stream.txt"
  echo $status > "$to/status"
}
expect_go() {
  expect "go test" "go-test-json broken 2 1 0 1" --exit-code "$status" "$to/now/stream.txt"
}
if have go go; then
  export GOFLAGS=-mod=mod GOPROXY=off GOCACHE=$work/tools/go-cache
  reports="$work/reports/go/now/stream.txt" coverage=$work/reports/go/cover.out
  two go price/price.go 'count \* price' 'count*price + 1'
  tell go "fail 0/3 unknown 3/5; fail 0/3 unknown 3/5"
fi

tools_java() {
  rm -rf target
  run mvn -o -B -s /etc/maven/settings-debian.xml -Dmaven.repo.local=/usr/share/maven-repo \
    "-DargLine=-javaagent:$work/tools/agent.jar=destfile=target/jacoco.exec,includes=org.example.*" test
  echo $status > "$to/status"
  java -cp '/usr/share/java/*' Report.java target/jacoco.exec target/classes src/main/java "$to/jacoco.xml"
}
expect_java() {
  expect surefire "surefire-xml valid 1 1 0 1" --exit-code "$status" --console "$to/console.txt" java/target
}
debian=/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin
if have java java mvn jar && [ -e $debian ]; then
  # Debian's agent names no class to start with; this jar does.
  { echo 'Premain-Class: org.jacoco.agent.rt.internal.PreMain'
    echo 'Class-Path: /usr/share/java/org.jacoco.agent.rt.jar'
    for jar in org.jacoco.core asm asm-commons asm-tree asm-analysis; do
      echo "  /usr/share/java/$jar.jar"
    done; } > "$work/manifest"
  jar cfm "$work/tools/agent.jar" "$work/manifest"
  reports='java/target/surefire-reports/*.xml' coverage=$work/reports/java/jacoco.xml
  two java src/main/java/org/example/Cart.java 'count \* price' 'count * price + 1'
  tell java "fail 1/2 unknown 3/4; fail 1/2 1 3/4"
fi

tools_js() {
  ln -sfn "$work/tools/node_modules" node_modules
  run npx vitest run --reporter=junit --outputFile="$to/now/vitest.xml" --coverage.enabled \
    --coverage.provider=v8 --coverage.reporter=lcov --coverage.reporter=cobertura \
    --coverage.reportOnFailure --coverage.reportsDirectory="$to/coverage"
  echo $status > "$to/status"
  # jest knows no modules unless told; its file says the same in its own words.
  NODE_OPTIONS=--experimental-vm-modules JEST_JUNIT_OUTPUT_FILE="$to/jest.xml" \
    npx jest --rootDir . --testRegex 'other[.]js$' --reporters=jest-junit > "$to/jest.txt" 2>&1 || true
  rm -f node_modules
}
expect_js() {
  expect jest "jest-junit valid 1 1 0 1" --exit-code 1 "$to/jest.xml"
  expect vitest "vitest-junit valid 1 1 0 1" --exit-code "$status" "$to/now/vitest.xml"
}
if have js node npm; then
  npm="npm install --silent --no-fund --no-audit --prefix $work/tools"
  [ -e "$work/tools/node_modules/jest-junit" ] \
    || { $npm vitest@4.1.12 && $npm @vitest/coverage-v8@4.1.12 jest@30 jest-junit@16; } > "$work/npm.txt" 2>&1
  reports="$work/reports/js/now/vitest.xml" coverage=$work/reports/js/coverage/lcov.info
  two js src/cart.js 'count \* price' 'count * price + 1'
  tell js "fail 1/2 unknown 2/3; fail 1/2 1 2/3"
fi

# What a clone says, from the repository alone.
git init -q --bare "$work/bare"
git remote add origin "$work/bare"
git evolve push --yes origin 2> "$work/pushed.txt"
git clone -q "$work/bare" "$work/clone" 2> /dev/null
for chain in python go java js; do
  git show-ref -q "refs/heads/evolve/real/$chain/1" || continue
  said "$chain: figures of a clone" "$(figures "$repo" "$chain")" "$(figures "$work/clone" "$chain")"
done
said "records of a clone" "$(git evolve records --format jsonl | sha256sum)" \
  "$(git -C "$work/clone" evolve records --format jsonl | sha256sum)"
git -C "$work/clone" evolve verify > /dev/null 2>&1 && verified=yes || verified=no
said "verify in a clone" yes "$verified"
exit $failed
