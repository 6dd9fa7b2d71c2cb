"""Erosion of SlopCodeBench's reference solutions, against scb-check's own.

    golden.py BINARY CLONE

BINARY is git-evolve, CLONE a clone of the benchmark (bare will do). For each of the 92 solution
trees named in fixtures/golden/scb_erosion.csv it asks `functions TREE --profile scb` for CC and
SLOC of every Python function, takes their masses (CC times the root of SLOC), and compares the
share of functions with a CC above 10. Every tree within 0.01, the mean within 0.003, or exit 1.
"""

import csv
import io
import math
import os
import subprocess
import sys

binary, clone = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
table = os.path.join(here, "..", "..", "fixtures", "golden", "scb_erosion.csv")

worst, mine, theirs, far = (0.0, ""), [], [], []
for row in csv.DictReader(open(table, newline="")):
    name = f"{row['problem']}/solutions/{row['checkpoint']}"
    out = subprocess.run(
        [binary, "-C", clone, "functions", f"HEAD:problems/{name}", "--profile", "scb", "--format", "csv"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    high = total = 0.0
    for f in csv.DictReader(io.StringIO(out)):
        if not f["path"].endswith((".py", ".pyi")):
            continue
        mass = int(f["cc"]) * math.sqrt(max(int(f["nloc"]), 0))
        total += mass
        high += mass if int(f["cc"]) > 10 else 0.0
    erosion = high / total if total else 0.0
    expected = float(row["erosion"])
    mine.append(erosion)
    theirs.append(expected)
    off = abs(erosion - expected)
    worst = max(worst, (off, name))
    if off > 0.01:
        far.append(f"{name}: {erosion:.6f}, expected {expected:.6f}")

mean, wanted = sum(mine) / len(mine), sum(theirs) / len(theirs)
print(f"{len(mine)} trees; mean {mean:.5f}, expected {wanted:.5f}; worst {worst[0]:.5f} in {worst[1]}")
print("\n".join(far))
sys.exit(bool(far) or abs(mean - wanted) > 0.003)
