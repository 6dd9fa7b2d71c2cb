#!/usr/bin/env python3
"""recompute.py REPO TIP N OUT.jsonl [--lookback 200] [--program GIT_EVOLVE] ...

A slow, independent second computation of every change and state measure of a plain history,
from git commands, lizard and the scanners beside it. With --program it also runs the program
and prints, for each measure, how many figures are equal and what kind of difference the others
have. See README.md beside this file.
"""

import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.dont_write_bytecode = True

from facts import ANALYSED, CLEAN, Git, History, language  # noqa: E402
from figures import Measures  # noqa: E402
from rows import Analyser, Store  # noqa: E402

BY_KEY = {"existing_fns_modified", "fns_reformatted", "fns_added", "fns_deleted", "reedit_rate", "hotspots"}
BY_ROWS = {"erosion", "erosion_scoped", "erosion_extreme", "hotspot_cc", "wmc_max", "wmc_max_file", "fn_count",
           "fn_nloc_avg", "fn_nloc_max", "fn_cc_max", "fn_sloc", "loc", "loc_java", "loc_python", "loc_go", "cc_gini",
           "cc_top20", "net_cc", "net_cognitive"} | BY_KEY | {"fns_modified_in_old_files", "reedit_rate_pc"}


def same(a, b):
    for kind in ("undefined", "unknown"):
        if kind in a or kind in b:
            return kind in a and kind in b
    x, y = a.get("value"), b.get("value")
    if x is None or y is None:
        return False
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)


def kind_of(id, ours, theirs, record):
    if theirs is None:
        return "not given"
    for name, f in record["readings"].get(id, {}).items():
        if same(f, theirs):
            return "reading: " + name
    why = record["why"]
    if "unknown" in theirs and "value" in ours:
        return "unknown there: " + str(theirs["unknown"])[:40]
    if "unknown" in ours or "unknown" in theirs or "undefined" in ours or "undefined" in theirs:
        return "parse" if "parse" in why and "unknown" in ours else "known/undefined/unknown"
    if id in BY_KEY and "key" in why:
        return "key"
    if id in BY_ROWS and "parse" in why:
        return "parse"
    if id in BY_ROWS and "rows" in why:
        return "lizard disputed"
    return "other"


def same_parts(a, b):
    """Whether numerator and denominator agree too, where both give them."""
    return all(a.get(k) is None or b.get(k) is None or math.isclose(a[k], b[k], rel_tol=1e-9, abs_tol=1e-12)
               for k in ("num", "den"))


def shown(f):
    if f is None:
        return "-"
    for k in ("undefined", "unknown"):
        if k in f:
            return f"{k}: {str(f[k])[:50]}"
    s = f"{f['value']:.10g}"
    return s + (f" ({f['num']:g}/{f['den']:g})" if f.get("den") is not None and f.get("num") is not None else "")


def compare(records, got, out, show):
    ids, table, first, parts = {}, defaultdict(Counter), [], Counter()
    for r in records:
        theirs = got.get(r["commit"])
        for id, ours in r["metrics"].items():
            ids[id] = True
            if theirs is None:
                table[id]["commit not given"] += 1
                continue
            f = theirs.get("metrics", {}).get(id)
            if f is not None and same(ours, f):
                table[id]["equal"] += 1
                if not same_parts(ours, f):
                    parts[id] += 1
                    first.append((id, "parts", r["commit"][:12], shown(ours), shown(f)))
                continue
            k = kind_of(id, ours, f, r)
            table[id][k] += 1
            first.append((id, k, r["commit"][:12], shown(ours), shown(f)))
    print(f"{'measure':28} {'compared':>8} {'equal':>7} {'differ':>7}  kinds", file=out)
    wrong = 0
    for id in ids:
        n, e = sum(table[id].values()), table[id]["equal"]
        wrong += n - e
        kinds = ", ".join(f"{k} {v}" for k, v in table[id].most_common() if k != "equal")
        if parts[id]:
            kinds += (", " if kinds else "") + f"(equal by value only {parts[id]})"
        print(f"{id:28} {n:8} {e:7} {n - e:7}  {kinds}", file=out)
    print(f"{'all':28} {sum(sum(table[i].values()) for i in ids):8} {sum(table[i]['equal'] for i in ids):7} {wrong:7}",
          file=out)
    if first:
        print("\nfirst differences (measure, kind, commit, here, program)", file=out)
        seen = Counter()
        for row in first:
            seen[row[0], row[1]] += 1
            if seen[row[0], row[1]] <= show:
                print("  " + "  ".join(row), file=out)
    extra = sorted(set(got) - {r["commit"] for r in records})
    if extra:
        print(f"\n{len(extra)} commits only from the program: {extra[:3]}", file=out)
    theirs = {k for g in got.values() for k in g.get("metrics", {})} - set(ids)
    if theirs:
        print(f"\nmeasures only from the program: {', '.join(sorted(theirs))}", file=out)
    return wrong


def head_language(history, analyser):
    git = history.git
    head = git.text("rev-parse", "HEAD^{commit}").strip()
    loc = Counter()
    for p, oid in git.tree(head).items():
        l = language(p)
        if l in ANALYSED and history.classes.of(head, p, oid) == "production":
            loc[l] += analyser.of(oid, l).src.nloc
    return max(ANALYSED, key=lambda l: (loc[l], -ANALYSED.index(l)))


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    ap.add_argument("repo")
    ap.add_argument("tip")
    ap.add_argument("n", type=int, nargs="?", default=200)
    ap.add_argument("out")
    ap.add_argument("--lookback", type=int, default=200)
    ap.add_argument("--language", choices=ANALYSED, help="whose figures are shown (default: most code in HEAD)")
    ap.add_argument("--program", help="a git-evolve to compare with")
    ap.add_argument("--program-output", help="its JSON Lines output, made before")
    ap.add_argument("--lizard-java", default=sys.executable, help="a Python with lizard 1.23.0 (Java rows)")
    ap.add_argument("--lizard", default=sys.executable, help="a Python with lizard 1.24.3 (Python, Go, cognitive)")
    ap.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "recompute-cache"))
    ap.add_argument("--show", type=int, default=3, help="differences listed for each measure and kind")
    a = ap.parse_args()

    os.makedirs(a.cache, exist_ok=True)
    name = hashlib.sha256(os.path.realpath(a.repo).encode()).hexdigest()[:16]
    store = Store(os.path.join(a.cache, name + ".sqlite"))
    git = Git(a.repo)
    history = History(git, a.tip, store)
    analyser = Analyser(git, store, a.lizard_java, a.lizard)
    lang = a.language or head_language(history, analyser)
    measures = Measures(history, analyser, a.lookback, lang)
    records = []
    picked = range(max(0, len(history.commits) - a.n), len(history.commits))
    with open(a.out, "w", encoding="utf-8") as f:
        for k, i in enumerate(picked):
            r = measures.commit(i)
            records.append(r)
            f.write(json.dumps(r, sort_keys=True) + "\n")
            if sys.stderr.isatty():
                print(f"\r{k + 1} of {len(picked)}", end="", file=sys.stderr)
    codes = Counter(c for x in analyser.mem.values() for c in x.codes)
    rows = sum(len(x.src.rows) for x in analyser.mem.values())
    print(f"{len(records)} changes, language {lang}, {len(analyser.mem)} blobs with {rows} rows, lizard "
          f"{analyser.versions or 'from the cache'}; scanner and lizard disagree: {dict(codes.most_common()) or 'nowhere'}")
    if not (a.program or a.program_output):
        return 0
    if a.program_output:
        with open(a.program_output, "rb") as f:
            text = f.read()
    else:
        p = subprocess.run([a.program, "-C", a.repo, "log", "--last", str(a.n), "--lookback", str(a.lookback),
                            "--metrics", "all", "--format", "jsonl", a.tip], stdout=subprocess.PIPE, env=CLEAN)
        if p.returncode not in (0, 3):
            print(f"the program exited {p.returncode}", file=sys.stderr)
            return 2
        text = p.stdout
    got = {}
    for line in text.splitlines():
        o = json.loads(line) if line.strip() else {}
        if "commit" in o and "metrics" in o:
            c = o["commit"]
            got[c if isinstance(c, str) else c.get("id")] = o
    return 1 if compare(records, got, sys.stdout, a.show) else 0


if __name__ == "__main__":
    sys.exit(main())
