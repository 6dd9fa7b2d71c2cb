"""Random arms by numpy, scipy and statsmodels, for fixtures/statistics/random.json.

    python statistics_random.py > fixtures/statistics/random.json

The lines are scipy.stats.linregress's, the percentiles numpy.percentile's, the exact p-values
scipy.stats.permutation_test's, Holm statsmodels'. Only the resample indices are not theirs: those
of the shared generator of statistics.py, so that the intervals must be the same to the last digits.
tests/scripts/statistics.sh writes all fixtures of that folder.
"""

import importlib.util
import itertools
import json
import sys
from pathlib import Path

# The standard library has a module of that name, too, which numpy and scipy import.
HERE = str(Path(__file__).parent)
sys.path[:] = [p for p in sys.path if p not in ("", HERE)]

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

SPEC = importlib.util.spec_from_file_location("twice", f"{HERE}/statistics.py")
twice = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(twice)
SplitMix64, curve, plain = twice.SplitMix64, twice.curve, twice.plain

OPTIONS = {"resamples": 300, "seed": 11}
PAIRS = 40


def line(x, y):
    keep = ~np.isnan(y)
    if keep.sum() < 2:
        return float("nan")
    return float(stats.linregress(x[keep], y[keep]).slope)


def resampled(generator, x, values):
    n = len(values)
    picked = [generator.below(n) for _ in range(n)]
    return picked, line(x, curve(values[picked])[0])


def arm(x, values):
    generator = SplitMix64(OPTIONS["seed"])
    drawn = [resampled(generator, x, values) for _ in range(OPTIONS["resamples"])]
    slopes = np.array([slope for _, slope in drawn])
    mean, counts = curve(values)
    return {
        "slope": line(x, mean),
        "curve": mean.tolist(),
        "chains": counts.tolist(),
        "band": [float(np.std(c[~np.isnan(c)])) if (~np.isnan(c)).any() else None for c in values.T],
        "percentile": np.percentile(slopes[~np.isnan(slopes)], [2.5, 97.5]).tolist(),
        "first_indices": drawn[0][0],
    }


def exact_p(x, a, b):
    """Of all labellings of whole chains, by scipy."""
    pool = np.vstack([a, b])

    def statistic(first, second, axis=-1):
        return line(x, curve(pool[first.astype(int)])[0]) - line(x, curve(pool[second.astype(int)])[0])

    rows = np.arange(len(pool), dtype=float)
    found = stats.permutation_test(
        (rows[: len(a)], rows[len(a) :]),
        statistic,
        n_resamples=np.inf,
        permutation_type="independent",
        vectorized=False,
        alternative="two-sided",
    )
    # Both tails by magnitude: scipy's two-sided p doubles the smaller tail.
    null = np.abs(found.null_distribution)
    observed = abs(float(found.statistic))
    return float((null >= observed - 1e-12 * max(1.0, observed)).mean()), len(null)


def many_labellings(rng):
    """Twelve chains an arm: 2,704,156 labellings, which the program draws from; all of them here."""
    x = np.arange(1.0, 6.0)
    a = np.round(rng.standard_normal((12, 5)) + np.outer(np.full(12, 0.2), x), 6)
    b = np.round(rng.standard_normal((12, 5)), 6)
    slopes = np.array([line(x, row) for row in np.vstack([a, b])])
    rows = itertools.chain.from_iterable(itertools.combinations(range(24), 12))
    chosen = np.fromiter(rows, dtype=np.int8).reshape(-1, 12)
    sums = slopes[chosen].sum(axis=1)
    differences = np.abs(sums / 12 - (slopes.sum() - sums) / 12)
    observed = abs(slopes[:12].mean() - slopes[12:].mean())
    p = float((differences >= observed - 1e-12).mean())
    return {"index": x.tolist(), "a": a.tolist(), "b": b.tolist(), "p": p}


def main():
    rng = np.random.default_rng(5)
    pairs, ps = [], []
    for number in range(PAIRS):
        columns = int(rng.integers(3, 13))
        x = np.sort(rng.choice(np.arange(1.0, 25.0), columns, replace=False))
        scale = 10.0 ** rng.integers(-3, 4)
        shape = [rng.standard_normal, rng.standard_exponential, lambda s: rng.standard_t(3, s)][number % 3]

        def chains():
            n = int(rng.integers(2, 6))
            values = scale * (shape((n, columns)) + np.outer(rng.normal(0, 0.3, n), x))
            gaps = rng.random(values.shape) < [0.0, 0.15][number % 2]
            # No chain without a value, no column without one.
            gaps[:, 0] = gaps[0, :] = False
            values[gaps] = np.nan
            return np.round(values, 9)

        a, b = chains(), chains()
        p, labellings = exact_p(x, a, b)
        ps.append(p)
        pairs.append(
            {
                "index": x.tolist(),
                "a": a.tolist(),
                "b": b.tolist(),
                "of_a": arm(x, a),
                "of_b": arm(x, b),
                "p": p,
                "labellings": labellings,
            }
        )
    out = {
        "options": OPTIONS,
        "pairs": pairs,
        "many_labellings": many_labellings(rng),
        "holm": multipletests(ps, method="holm")[1].tolist(),
    }
    json.dump(plain(out), sys.stdout, indent=None, separators=(",", ":"))
    print()


main()
