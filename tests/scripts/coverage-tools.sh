#!/usr/bin/env bash
# Runs coverage tools over small projects and leaves their reports, with what the tools themselves
# make of them, in a folder.
#
#   tests/scripts/coverage-tools.sh FOLDER
#
# Needs pytest, coverage and pytest-cov in the Python named by PYTHON, and where they are to be
# had: go, gcc with lcov, and a JDK with JaCoCo's jars in JARS (/usr/share/java). What is missing
# is said and left out.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,9p' "$0" | sed 's/^# \{0,1\}//'; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${PYTHON:-python3}
jars=${JARS:-/usr/share/java}

py() {
  mkdir -p "$out/py/src/shop" "$out/py/tests"
  cd "$out/py"
  cat > src/shop/__init__.py <<'PY'
"""A shop."""
PY
  cat > src/shop/cart.py <<'PY'
"""Carts."""
import os

RATES = {"low": 1,
         "high": 2}


class Cart:
    """A cart."""

    def __init__(self, items):
        self.items = [i for i in items
                      if i]

    def total(self, rate="low"):
        if rate not in RATES:
            raise KeyError(rate)
        total = 0
        for item in self.items:
            total += (item
                      * RATES[rate])
        while total > 100:
            total -= 100
        return total

    def debug(self):  # pragma: no cover
        print(self.items)


def never(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return None
    finally:
        os.environ.get("X")


def kind(x):
    match x:
        case int():
            return "int"
        case [_, *_]:
            return "list"
        case _:
            return "other"
PY
  cat > tests/test_cart.py <<'PY'
import pytest

from shop.cart import Cart, kind


@pytest.fixture
def cart():
    return Cart([1, 2, 0])


@pytest.mark.parametrize("rate", ["low", "high", "a|run"])
def test_total(cart, rate):
    if rate == "a|run":
        with pytest.raises(KeyError):
            cart.total(rate)
    else:
        assert cart.total(rate) > 0


class TestKind:
    @pytest.mark.parametrize("x", [1, [2]], ids=["x::y", "a/b.py"])
    def test_kind(self, x):
        assert kind(x)
PY
  printf '[run]\nsource = src/shop\nbranch = True\n[pytest]\n' > .coveragerc
  export PYTHONPATH=src
  "$python" -m pytest -q -p no:cacheprovider --cov=src/shop --cov-branch --cov-context=test \
    --cov-report= --junitxml=junit.xml > pytest.txt
  "$python" -m coverage json -q --show-contexts -o coverage.json
  "$python" -m coverage xml -q -o coverage.xml
  "$python" -m coverage lcov -q -o coverage.info
  "$python" -m coverage report > report.txt
}

go_() {
  mkdir -p "$out/go/price" "$out/go/use"
  cd "$out/go"
  printf 'module example.com/shop\n\ngo 1.19\n' > go.mod
  cat > price/price.go <<'GO'
package price

func Of(n int) int {
	if n < 0 {
		return 0
	}
	sum := 0
	for i := 0; i < n; i++ {
		sum += i
	}
	f := func() int { return sum }
	return f()
}

func Never(s string) string {
	switch s {
	case "a":
		return "b"
	}
	return s
}

func All() int { return 1 }
GO
  printf 'package price\n\nimport "testing"\n\nfunc TestOf(t *testing.T) {\n\tif Of(3) != 3 || All() != 1 {\n\t\tt.Fatal()\n\t}\n}\n' > price/price_test.go
  printf 'package use\n\nimport "example.com/shop/price"\n\nfunc Use() int { return price.Of(-1) }\n' > use/use.go
  printf 'package use\n\nimport "testing"\n\nfunc TestUse(t *testing.T) {\n\tif Use() != 0 {\n\t\tt.Fatal()\n\t}\n}\n' > use/use_test.go
  for mode in set count atomic; do
    GOFLAGS=-mod=mod go test -count=1 -coverpkg=./... -covermode=$mode -coverprofile=$mode.out ./... > test.txt
  done
  go tool cover -func=count.out > func.txt
}

lcov_() {
  mkdir -p "$out/lcov/src"
  cd "$out/lcov"
  printf '#include "b.h"\nint f(int x)\n{\n  if (x > 0 && x < 10)\n    return twice(x);\n  return 0;\n}\nint g(void) { return 1; }\n' > src/a.c
  printf 'static inline int twice(int x)\n{\n  if (x == 3)\n    return 6;\n  return 2 * x;\n}\n' > src/b.h
  printf 'int f(int); int main(int c, char **v) { (void)v; return f(c) > 100; }\n' > src/main.c
  (cd src && gcc --coverage -O0 -o ../prog a.c main.c)
  for test in one two; do
    lcov -q --rc lcov_branch_coverage=1 -z -d . 2> /dev/null
    if [ $test = one ]; then ./prog; else ./prog x y || true; fi
    lcov -q --rc lcov_branch_coverage=1 -c -t $test -d . -o $test.info 2> /dev/null
  done
  lcov -q --rc lcov_branch_coverage=1 -a one.info -a two.info -o all.info 2> /dev/null
  lcov --rc lcov_branch_coverage=1 --summary all.info > summary.txt 2>&1
}

jacoco() {
  mkdir -p "$out/jacoco/core/src/main/java/org/example" "$out/jacoco/api/src/main/java/org/example"
  cd "$out/jacoco"
  cat > core/src/main/java/org/example/Text.java <<'JAVA'
package org.example;

public class Text {
    private final String s;

    public Text(String s) {
        this.s = s;
    }

    public int size(boolean trimmed) {
        String t = trimmed ? s.trim() : s;
        return t.length() > 3 && t.startsWith("a") ? 1 : t.length();
    }

    static class Inner {
        int x = 1; Runnable r = () -> { x++; };
    }

    enum Op { ADD, SUB { @Override int of() { return 2; } }; int of() { return 1; } }
}
JAVA
  cat > api/src/main/java/org/example/Main.java <<'JAVA'
package org.example;

public class Main {
    public static void main(String[] args) {
        System.out.println(new Text("abcd").size(true) + Text.Op.SUB.of());
        if (args.length > 5) {
            System.out.println("many");
        }
        new Text.Inner().r.run();
    }
}
JAVA
  cat > Report.java <<'JAVA'
import java.io.File;
import java.io.FileOutputStream;
import org.jacoco.core.analysis.*;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.*;
import org.jacoco.report.xml.XMLFormatter;

public class Report {
    public static void main(String[] args) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new File("jacoco.exec"));
        try (FileOutputStream out = new FileOutputStream("jacoco.xml")) {
            IReportVisitor visitor = new XMLFormatter().createVisitor(out);
            visitor.visitInfo(loader.getSessionInfoStore().getInfos(),
                loader.getExecutionDataStore().getContents());
            IReportGroupVisitor group = visitor.visitGroup("shop");
            for (String module : args) {
                CoverageBuilder builder = new CoverageBuilder();
                new Analyzer(loader.getExecutionDataStore(), builder)
                    .analyzeAll(new File(module + "/classes"));
                group.visitBundle(builder.getBundle("shop-" + module), null);
            }
            visitor.visitEnd();
        }
    }
}
JAVA
  javac --release 11 -g -d core/classes core/src/main/java/org/example/*.java
  javac --release 11 -g -cp core/classes -d api/classes api/src/main/java/org/example/*.java
  local tools
  tools=$(ls "$jars"/org.jacoco.{core,report}.jar "$jars"/asm*.jar "$jars"/args4j.jar 2> /dev/null | tr '\n' ':' || true)
  jar xf "$jars/org.jacoco.agent.jar" jacocoagent.jar
  java -Xbootclasspath/a:"$tools" -javaagent:jacocoagent.jar=destfile=jacoco.exec \
    -cp core/classes:api/classes org.example.Main > main.txt
  javac -cp "$tools" -d . Report.java
  java -cp "$tools:." Report core api
}

py
if command -v go > /dev/null; then go_; else echo "coverage-tools: no go" >&2; fi
if command -v lcov > /dev/null; then lcov_; else echo "coverage-tools: no lcov" >&2; fi
if [ -e "$jars/org.jacoco.core.jar" ] && command -v javac > /dev/null; then
  jacoco
else
  echo "coverage-tools: no JaCoCo" >&2
fi
