#!/usr/bin/env bash
# Gates with real test runners: small chains whose checkpoints break what passed, and forge what
# they broke, are gated by `git evolve gate`; nothing forged may pass.
#
#   tests/real-gates.sh PROGRAM [WORK]
#
# Needs python3 with a venv that has pytest (WORK/tools/python, else pip fetches it), go, java with
# Maven, Surefire and JUnit 4 as Debian packages them, make. What is not installed is said and left
# out. Not run by CI.
set -euo pipefail
program=$(realpath "${1:?which program}")
work=${2:-$(mktemp -d)}
mkdir -p "$work/tools" "$work/home" "$work/bin"
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 TZ=UTC
git config --global user.name Tester
git config --global user.email tester@example.invalid
git config --global init.defaultBranch main
ln -sf "$program" "$work/bin/git-evolve" && PATH=$work/bin:$PATH
failed=0

said() { # said WHAT WANTED GOT
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
# begin NAME: a project of that name in its own repository, and the experimenter's folder beside it.
begin() {
  name=$1 lab=$work/$1-lab k=0
  rm -rf "$work/$1" "$lab" && mkdir -p "$lab/acceptance"
  git init -q "$work/$1" && cd "$work/$1"
}
plan() { # the gate on standard input
  {
    printf '[experiment]\nname = "real"\nbase = "main"\n[[arms]]\nname = "a"\nbaseline = true\n'
    printf '[agent]\ncommand = ["true"]\n'
    for n in 1 2 3 4 5; do printf '[[checkpoints]]\nid = "c%s"\nprompt_text = "x"\n' $n; done
    cat
  } > "$lab/evolve.toml"
  git add -A && git commit -qm "the project"
}
checkpoint() { # the work tree is what the agent left
  git evolve record 2>> "$work/said.txt"
  git evolve reset 2>> "$work/said.txt"
}
next() {
  k=$((k + 1))
  git evolve begin "real/a/1" "$k:c$k" 2>> "$work/said.txt"
}
# tell WHAT WANTED [OPTION...]: whether the gate of the checkpoint holds: true, false, null.
tell() {
  local what=$1 wanted=$2 got
  shift 2
  got=$(git evolve gate --plan "$lab/evolve.toml" --scratch "$work/scratch" "real/a/1@$k" "$@" \
    --format json 2> "$work/$name-$k.txt" \
    | python3 -c 'import json,sys; print(json.dumps(json.load(sys.stdin)["gates"][0]["holds"]))') || true
  said "$name $k, $what" "$wanted" "$got"
}
outcomes() {
  said "$name: outcomes" "$1" "$(git evolve log --chain real/a/1 --metrics outcome --format csv 2> /dev/null \
    | python3 -c 'import csv,sys; print(" ".join((r["value"] or r["state"]) for r in reversed(list(csv.DictReader(sys.stdin)))))')"
}
broke() { # what the gate of checkpoint 2 says of checkpoint 1's tests
  said "$name: what broke" "$1" "$(git evolve tests real/a/1@2 --format csv 2> /dev/null \
    | grep -c '^broke,failed' || true)"
}

if have python python3; then
  venv=$work/tools/python
  [ -x "$venv/bin/pytest" ] || { python3 -m venv "$venv" && "$venv/bin/pip" -q install pytest pytest-cov; }
  begin python
  mkdir shop && printf 'def total(count, price):\n    return 0\n' > shop/cart.py
  touch shop/__init__.py
  printf 'import shop.cart as c\n\ndef test_none():\n    assert c.total(0, 3) == 0\n' > test_own.py
  printf '__pycache__/\n.pytest_cache/\n' > .gitignore
  printf 'import shop.cart as c\n\ndef test_one():\n    assert c.total(1, 3) == 3\n\ndef test_two():\n    assert c.total(2, 3) == 6\n' \
    > "$lab/acceptance/test_cart.py"
  plan << END
[gate.visible]
command = ["$venv/bin/python", "-m", "pytest", "-q", "--junitxml=out/visible.xml", "--cov=shop", "--cov-report=xml:out/coverage.xml", "--ignore=acceptance", "."]
reports = ["out/visible.xml"]
coverage = ["out/coverage.xml"]
before = true
isolation = "none"
[gate.acceptance]
command = ["$venv/bin/python", "-m", "pytest", "-q", "--junitxml=out/report.xml", "acceptance"]
reports = ["out/report.xml"]
tests = [{ from = "acceptance", to = "acceptance" }]
before = true
isolation = "none"
END
  next
  printf 'def total(count, price):\n    return count * price\n' > shop/cart.py
  printf 'import shop.cart as c\n\ndef test_mine():\n    assert c.total(4, 3) == 12\n' > test_mine.py
  checkpoint
  tell "what was asked for" true
  next
  printf 'def total(count, price):\n    return 3\n' > shop/cart.py
  checkpoint
  tell "a regression" false
  broke 1
  next
  # Everything at once that a list can know.
  cat > conftest.py << 'END'
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = "passed"
    report.longrepr = None

def pytest_sessionfinish(session):
    session.exitstatus = 0
    session.testsfailed = 0
END
  printf '[pytest]\naddopts = -p forge\n' > pytest.ini
  cp conftest.py forge.py && cp conftest.py sitecustomize.py
  mkdir -p acceptance out && cp conftest.py acceptance/conftest.py
  printf 'def test_two():\n    pass\n' > acceptance/test_cart.py
  printf '<testsuites><testsuite name="pytest"><testcase classname="acceptance.test_cart" name="test_two"/></testsuite></testsuites>' > out/report.xml
  git add -f out
  checkpoint
  tell "hooks, plugins, a guessed test and a committed report" false
  next
  git rm -rqf --cached out acceptance && rm -rf conftest.py pytest.ini sitecustomize.py acceptance out
  printf '[tool.pytest.ini_options]\naddopts = "-p forge"\n' > pyproject.toml
  checkpoint
  tell "a plugin named in a file with other purposes" null
  next
  rm -f pyproject.toml forge.py
  cat > shop/cart.py << 'END'
import atexit, re

def total(count, price):
    return 3

def mend():
    try:
        text = open("out/report.xml").read()
    except OSError:
        return
    open("out/report.xml", "w").write(re.sub("<failure.*?</failure>", "", text, flags=re.S).replace('failures="1"', 'failures="0"'))

atexit.register(mend)
END
  checkpoint
  tell "production code that mends the report behind the runner" null
  outcomes "pass fail fail unknown unknown"
  said "python: fail to pass, pass to pass" "2 0" "$(git evolve log --chain real/a/1 \
    --metrics fail_to_pass,pass_to_pass --format csv 2> /dev/null | python3 -c '
import csv, sys
print(" ".join(r["value"] for r in csv.DictReader(sys.stdin) if r["checkpoint"] == "1"))')"
  git evolve gate --plan "$lab/evolve.toml" --scratch "$work/scratch" real/a/1 --base > /dev/null 2>> "$work/said.txt" || true
  said "python: new regression test" "1" "$(git evolve log --chain real/a/1 \
    --metrics new_regression_test --format csv 2> /dev/null | python3 -c '
import csv, sys
print(" ".join(r["value"] or r["state"] for r in csv.DictReader(sys.stdin) if r["checkpoint"] == "1"))')"
fi

if have make make; then
  begin make
  printf 'one\n' > value
  printf 'check:\n\tsh acceptance/run.sh\n' > Makefile
  cat > "$lab/acceptance/run.sh" << 'END'
mkdir -p out
if [ "$(cat value)" = two ]; then r=; else r='<failure message="not two"/>'; fi
echo "<testsuites><testsuite name='pytest'><testcase classname='a' name='two'>$r</testcase></testsuite></testsuites>" > out/report.xml
[ -z "$r" ]
END
  plan << 'END'
[gate.acceptance]
command = ["make", "-s", "check"]
reports = ["out/*.xml"]
tests = [{ from = "acceptance", to = "acceptance" }]
END
  next && echo two > value && checkpoint
  tell "what was asked for" true
  next && echo three > value && checkpoint
  tell "a regression" false
  broke 1
  next
  printf "check:\n\tmkdir -p out; echo '<testsuites><testsuite name=\"pytest\"><testcase classname=\"a\" name=\"two\"/></testsuite></testsuites>' > out/report.xml\n" > Makefile
  checkpoint
  tell "a Makefile that echoes the report" false
  outcomes "pass fail fail"
fi

if have go go; then
  begin go
  printf 'module example.org/shop\n\ngo 1.19\n' > go.mod
  mkdir price
  printf 'package price\n\nfunc Total(count, price int) int { return 0 }\n' > price/price.go
  printf 'package price\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(2, 3) != 6 {\n\t\tt.Fatal("not six")\n\t}\n}\n\nfunc TestNone(t *testing.T) {\n\tif Total(0, 3) != 0 {\n\t\tt.Fatal("not nothing")\n\t}\n}\n' \
    > "$lab/acceptance/total_test.go"
  plan << END
[gate.acceptance]
command = "go test -json ./... > stream.json"
reports = ["stream.json"]
tests = [{ from = "acceptance", to = "price" }]
environment = { GOCACHE = "$work/tools/go-cache", GOFLAGS = "-mod=mod", GOPROXY = "off" }
isolation = "none"
END
  next
  printf 'package price\n\nfunc Total(count, price int) int { return count * price }\n' > price/price.go
  checkpoint
  tell "what was asked for" true
  next
  printf 'package price\n\nfunc Total(count, price int) int { return 3 }\n' > price/price.go
  checkpoint
  tell "a regression" false
  broke 2
  next
  cat > price/forge_test.go << 'END'
package price

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"TestTotal", "TestNone"} {
		fmt.Printf("=== RUN   %s\n--- PASS: %s (0.00s)\n", name, name)
	}
	fmt.Println("PASS")
	os.Exit(0)
}
END
  printf '{"Action":"pass","Package":"example.org/shop/price","Test":"TestTotal"}\n{"Action":"pass","Package":"example.org/shop/price"}\n' > stream.json
  checkpoint
  tell "a TestMain that prints outcomes, and a committed stream" false
  outcomes "pass fail fail"
fi

if have java java mvn && [ -e /usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin ]; then
  begin java
  mkdir -p src/main/java/org/example
  printf 'target/\n' > .gitignore
  cat > pom.xml << 'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>shop</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope>
    </dependency>
  </dependencies>
</project>
END
  cart() {
    printf 'package org.example;\n\npublic class Cart {\n    public static int total(int count, int price) {\n        return %s;\n    }\n}\n' "$1" \
      > src/main/java/org/example/Cart.java
  }
  cart 0
  mkdir -p "$lab/acceptance/org/example"
  cat > "$lab/acceptance/org/example/CartTest.java" << 'END'
package org.example;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
    @Test
    public void total() {
        assertEquals(6, Cart.total(2, 3));
    }

    @Test
    public void none() {
        assertEquals(0, Cart.total(0, 3));
    }
}
END
  plan << 'END'
[gate.acceptance]
command = ["mvn", "-o", "-q", "-B", "-s", "/etc/maven/settings-debian.xml", "-Dmaven.repo.local=/usr/share/maven-repo", "test"]
reports = ["target/surefire-reports/*.xml"]
tests = [{ from = "acceptance", to = "src/test/java" }]
END
  next && cart 'count * price' && checkpoint
  tell "what was asked for" true
  next && cart 3 && checkpoint
  tell "a regression" false
  broke 2
  next
  sed -i 's#</project>#<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration><skipTests>true</skipTests></configuration></plugin></plugins></build></project>#' pom.xml
  mkdir -p target/surefire-reports src/main/resources/META-INF/services src/main/java/org/junit
  printf '<testsuite name="org.example.CartTest" tests="1"><testcase classname="org.example.CartTest" name="total" time="0"/></testsuite>' > target/surefire-reports/TEST-org.example.CartTest.xml
  git add -f target
  printf 'package org.junit;\n\npublic class Assert {\n    public static void assertEquals(long a, long b) {\n    }\n}\n' > src/main/java/org/junit/Assert.java
  checkpoint
  tell "tests that are skipped, a committed report and an Assert that holds always" null
  printf '[controls]\npinned = ["pom.xml"]\n' >> "$lab/evolve.toml"
  tell "the same with the build file pinned" false
  outcomes "pass fail fail"
fi
exit $failed
