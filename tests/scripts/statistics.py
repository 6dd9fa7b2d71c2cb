"""The independent side of the statistics tests: numpy and scipy, mpmath for the t table.

    python statistics.py table   > src/stats/student_table.rs      (needs mpmath, scipy)
    python statistics.py cases   > fixtures/statistics/cases.json  (needs numpy, scipy)
    python statistics.py coverage                                  (needs numpy, scipy)

`cases` implements everything a second time from the definitions in docs/statistics.md: the
lines with numpy.polyfit, the percentiles with numpy.percentile, the permutations with
itertools. Only the generator is shared, since the resamples must be the same ones.
"""

import itertools
import json
import sys

MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed & MASK

    @staticmethod
    def mix(z):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    @classmethod
    def stream(cls, seed, purpose):
        return cls(cls.mix(seed ^ cls.mix((purpose + 0x9E3779B97F4A7C15) & MASK)))

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return self.mix(self.state)

    def below(self, n):
        rejected = (1 << 64) % n
        while True:
            wide = self.next() * n
            if wide & MASK >= rejected:
                return wide >> 64


def table():
    from mpmath import betainc, findroot, mp, mpf
    from scipy.stats import t

    mp.dps = 40

    def quantile(p, df):
        def tail(x):
            return betainc(mpf(df) / 2, mpf(1) / 2, 0, mpf(df) / (df + x * x), regularized=True) / 2

        return findroot(lambda x: tail(x) - (1 - mpf(p)), float(t.ppf(float(p), df)))

    print("//! Quantiles of Student's t by degrees of freedom, 1 to 200, rounded to 12 decimals.")
    print("//!")
    print("//! Written by `tests/scripts/statistics.py table`, from the incomplete beta function")
    print("//! with 40 digits.")
    for name, p in (("T_975", "0.975"), ("T_800", "0.8")):
        print(f"\n/// The {p} quantiles.")
        print("#[rustfmt::skip]")
        print(f"pub(super) const {name}: [f64; 200] = [")
        values = [f"{float(quantile(p, df)):.12f}" for df in range(1, 201)]
        for i in range(0, 200, 5):
            print("    " + ", ".join(values[i : i + 5]) + ",")
        print("];")


OPTIONS = {"resamples": 2000, "seed": 7}


def slope(x, y):
    import numpy as np

    keep = ~np.isnan(y)
    if keep.sum() < 2:
        return float("nan")
    return float(np.polyfit(x[keep], y[keep], 1)[0])


def curve(values):
    """Column means of what is there; not a number where nothing is."""
    import numpy as np

    counts = (~np.isnan(values)).sum(axis=0)
    sums = np.nansum(values, axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), counts


def interval(slopes):
    import numpy as np

    low, high = np.percentile(slopes, [2.5, 97.5])
    return [float(low), float(high)]


def widened(ends, estimate, by):
    low, high = ends
    return [min(low, estimate - by * (estimate - low)), max(high, estimate + by * (high - estimate))]


def draw(generator, x, values):
    n = len(values)
    picked = [generator.below(n) for _ in range(n)]
    return slope(x, curve(values[picked])[0])


def trend(x, values):
    import numpy as np
    from scipy.stats import norm, t

    n = len(values)
    mean, counts = curve(values)
    m = slope(x, mean)
    fifth = [5 * i // len(x) for i in range(len(x))]
    parts = [values[:, [i for i in range(len(x)) if fifth[i] == p]] for p in range(5)]
    generator = SplitMix64(OPTIONS["seed"])
    drawn = np.array([draw(generator, x, values) for _ in range(OPTIONS["resamples"])])
    kept = drawn[~np.isnan(drawn)]
    percentile = interval(kept)
    by = t.ppf(0.975, n - 1) * (n / (n - 1)) ** 0.5 / norm.ppf(0.975)
    chain = [slope(x, row) for row in values]
    return {
        "slope": m,
        "curve": mean.tolist(),
        "chains": counts.tolist(),
        "band": np.nanstd(values, axis=0).tolist(),
        "phases": [float(np.nanmean(p)) for p in parts],
        "chain_slopes": chain,
        "mean_of_chain_slopes": float(np.nanmean(chain)),
        "percentile": percentile,
        "t_widened": widened(percentile, m, by),
        "standard_error": float(np.std(kept) * (n / (n - 1)) ** 0.5),
        "resamples_undefined": int(np.isnan(drawn).sum()),
    }


def compare(x, a, b):
    import numpy as np
    from scipy.stats import norm, t

    one, other = trend(x, a), trend(x, b)
    difference = one["slope"] - other["slope"]
    generator = SplitMix64.stream(OPTIONS["seed"], 1)
    drawn = np.array(
        [draw(generator, x, a) - draw(generator, x, b) for _ in range(OPTIONS["resamples"])]
    )
    kept = drawn[~np.isnan(drawn)]
    percentile = interval(kept)
    na, nb = len(a), len(b)
    va, vb = one["standard_error"] ** 2, other["standard_error"] ** 2
    df = int((va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1)))
    raw = va * (na - 1) / na + vb * (nb - 1) / nb
    by = t.ppf(0.975, df) / norm.ppf(0.975) * ((va + vb) / raw) ** 0.5

    pool = np.vstack([a, b])
    seen = []
    for chosen in itertools.combinations(range(na + nb), na):
        rest = [i for i in range(na + nb) if i not in chosen]
        seen.append(slope(x, curve(pool[list(chosen)])[0]) - slope(x, curve(pool[rest])[0]))
    seen = np.array(seen)
    seen = np.abs(seen[~np.isnan(seen)])

    sa = [s for s in one["chain_slopes"] if s == s]
    sb = [s for s in other["chain_slopes"] if s == s]
    dof = len(sa) + len(sb) - 2
    pooled = ((np.var(sa, ddof=1) * (len(sa) - 1) + np.var(sb, ddof=1) * (len(sb) - 1)) / dof) ** 0.5
    return {
        "difference": difference,
        "percentile": percentile,
        "t_widened": widened(percentile, difference, by),
        "resamples_undefined": int(np.isnan(drawn).sum()),
        "labellings": len(seen),
        "p": float((seen >= abs(difference) - 1e-9).mean()),
        "hedges_g": float((np.mean(sa) - np.mean(sb)) / pooled * (1 - 3 / (4 * dof - 1))),
        "cliffs_delta": float(np.mean(np.sign(np.subtract.outer(sa, sb)))),
        "smallest_detectable": float((t.ppf(0.975, df) + t.ppf(0.8, df)) * (va + vb) ** 0.5),
    }


def holm(p):
    """From the definition: the least level at which the step-down procedure rejects."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    out = [0.0] * len(p)
    for at, i in enumerate(order):
        out[i] = min(1.0, max((len(p) - j) * p[order[j]] for j in range(at + 1)))
    return out


def plain(value):
    """Numbers that are none become null."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and value != value else value


def cases():
    import numpy as np

    rng = np.random.default_rng(20)

    def arm(chains, x, rise, level=3.0):
        rises = rise + rng.normal(0, 0.3, chains)
        noise = rng.normal(0, 1.0, (chains, len(x)))
        return np.round(level + np.outer(rises, x) + noise, 4)

    def holes(values, share):
        values[rng.random(values.shape) < share] = np.nan
        return values

    steady = np.arange(1.0, 9.0)
    gapped = np.array([1, 2, 4, 7, 8, 12, 13, 20.0])
    short = holes(arm(5, gapped, 0.1), 0.25)
    for i in range(5):
        short[i, 4 + i :] = np.nan
    short[4, 7] = 5.5
    sparse = np.full((3, 8), np.nan)
    sparse[0, :2], sparse[1, 3], sparse[2, 4] = [1.0, 2.5], 3.0, 3.25
    sparse[0, 5:] = [4.0, 4.5, 4.25]
    sparse[1, 6] = 2.0
    arms = {
        "complete": (steady, arm(6, steady, 0.2), arm(5, steady, 0.0)),
        "far_apart": (np.arange(1.0, 7.0), arm(7, np.arange(1.0, 7.0), 0.5), arm(6, np.arange(1.0, 7.0), 0.0)),
        "gaps": (gapped, holes(arm(6, gapped, 0.3), 0.2), holes(arm(4, gapped, 0.1), 0.2)),
        "unequal_lengths": (gapped, short, holes(arm(6, gapped, 0.3), 0.1)),
        "one_arm_sparse": (gapped, sparse, arm(3, gapped, 0.0)),
        "high_level": (steady, arm(6, steady, 0.2, 1e6), arm(6, steady, 0.4, 1e6)),
    }
    lists = [rng.random(k).round(3).tolist() for k in (1, 4, 9)] + [[0.01, 0.01, 0.03, 0.2, 0.2]]
    generator = SplitMix64(OPTIONS["seed"])
    out = {
        "options": OPTIONS,
        "indices_below_10": [generator.below(10) for _ in range(40)],
        "holm": [{"p": p, "adjusted": holm(p)} for p in lists],
        "arms": [
            {
                "name": name,
                "index": x.tolist(),
                "a": a.tolist(),
                "b": b.tolist(),
                "trend_a": trend(x, a),
                "trend_b": trend(x, b),
                "compare": compare(x, a, b),
            }
            for name, (x, a, b) in arms.items()
        ],
    }
    json.dump(plain(out), sys.stdout, indent=1)
    print()


def coverage():
    """Share of 95 % intervals that hold the true slope, by number of chains."""
    import numpy as np
    from scipy.stats import norm, t

    rng = np.random.default_rng(1)
    shapes = {
        "normal": lambda size: rng.normal(0, 1, size),
        "skewed (exponential)": lambda size: rng.exponential(1, size) - 1,
        "heavy tails (t, 3 df)": lambda size: rng.standard_t(3, size),
    }
    runs, resamples = 4000, 2000
    print("shape, chains, percentile %, t-widened %, mean width ratio, power of the smallest detectable %")
    for name, shape in shapes.items():
        for n in (3, 5, 6, 10, 20):
            by = t.ppf(0.975, n - 1) * (n / (n - 1)) ** 0.5 / norm.ppf(0.975)
            held = wide = 0
            for _ in range(runs):
                slopes = shape(n)
                m = slopes.mean()
                low, high = np.percentile(
                    slopes[rng.integers(0, n, (resamples, n))].mean(axis=1), [2.5, 97.5]
                )
                held += low <= 0 <= high
                low, high = widened([low, high], m, by)
                wide += low <= 0 <= high
            df = 2 * n - 2
            delta = (t.ppf(0.975, df) + t.ppf(0.8, df)) * (2 / n) ** 0.5 * float(np.std(shape(10**6)))
            a, b = shape((20000, n)) + delta, shape((20000, n))
            error = ((a.var(axis=1, ddof=1) + b.var(axis=1, ddof=1)) / n) ** 0.5
            power = (np.abs(a.mean(axis=1) - b.mean(axis=1)) > t.ppf(0.975, df) * error).mean()
            print(f"{name}, {n}, {100 * held / runs:.1f}, {100 * wide / runs:.1f}, {by:.2f}, {100 * power:.1f}")


if __name__ == "__main__":
    {"table": table, "cases": cases, "coverage": coverage}[sys.argv[1]]()
