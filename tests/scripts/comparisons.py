"""The independent side of comparisons task by task and within levels: numpy and scipy.

    python comparisons.py > fixtures/statistics/comparisons.json

Everything from the definitions in docs/statistics.md: every sign of every difference with
itertools.product, every labelling within every level with itertools.combinations. The generator,
lines and percentiles are those of statistics.py, since the resamples must be the same ones.
"""

import importlib.util
import itertools
import json
import pathlib
import sys

spec = importlib.util.spec_from_file_location("second", pathlib.Path(__file__).with_name("statistics.py"))
second = importlib.util.module_from_spec(spec)
spec.loader.exec_module(second)


def ends(estimate, drawn, df, ratio):
    from scipy.stats import norm, t

    percentile = second.interval(drawn)
    by = t.ppf(0.975, df) / norm.ppf(0.975) * ratio
    return percentile, second.widened(percentile, estimate, by)


def smallest(error, df):
    from scipy.stats import t

    return float((t.ppf(0.975, df) + t.ppf(0.8, df)) * error)


def paired(x, tasks):
    import numpy as np

    mean = lambda rows: np.nanmean([second.slope(x, row) for row in rows])
    slopes = [(mean(a), mean(b)) for a, b in tasks]
    d = np.array([a - b for a, b in slopes])
    n = len(d)
    estimate = float(d.mean())
    generator = second.SplitMix64.stream(second.OPTIONS["seed"], 1)
    drawn = np.array([d[[generator.below(n) for _ in range(n)]].mean() for _ in range(second.OPTIONS["resamples"])])
    error = float(np.std(drawn) * (n / (n - 1)) ** 0.5)
    percentile, widened = ends(estimate, drawn, n - 1, (n / (n - 1)) ** 0.5)
    flips = [abs(np.dot(signs, d) / n) for signs in itertools.product((1, -1), repeat=n)]
    out = {
        "slopes": [float(np.mean([s[0] for s in slopes])), float(np.mean([s[1] for s in slopes]))],
        "difference": estimate,
        "percentile": percentile,
        "t_widened": widened,
        "labellings": len(flips),
        "p": float(np.mean(np.array(flips) >= abs(estimate) - 1e-9)),
        "smallest_detectable": smallest(error, n - 1),
        "hedges_g": None,
        "cliffs_delta": None,
    }
    if n > 2:
        out["hedges_g"] = float(estimate / np.std(d, ddof=1) * (1 - 3 / (4 * (n - 1) - 1)))
        out["cliffs_delta"] = float(np.mean(np.sign(d)))
    return out


def within(x, levels):
    import numpy as np

    of = lambda rows: second.slope(x, second.curve(rows)[0])
    differences = [of(a) - of(b) for a, b in levels]
    estimate = float(np.mean(differences))
    trends = [(second.trend(x, a), second.trend(x, b), len(a), len(b)) for a, b in levels]
    generator = second.SplitMix64.stream(second.OPTIONS["seed"], 1)
    drawn = []
    for _ in range(second.OPTIONS["resamples"]):
        parts = []
        for a, b in levels:
            one = second.draw(generator, x, a)
            parts.append(one - second.draw(generator, x, b))
        drawn.append(np.mean(parts))
    drawn = np.array(drawn)
    drawn = drawn[~np.isnan(drawn)]
    share = 1 / len(levels) ** 2
    parts = [(share * t["standard_error"] ** 2, n) for a, b, na, nb in trends for t, n in ((a, na), (b, nb))]
    variance = sum(v for v, _ in parts)
    raw = sum(v * (n - 1) / n for v, n in parts)
    df = int(variance**2 / sum(v**2 / (n - 1) for v, n in parts))
    percentile, widened = ends(estimate, drawn, df, (variance / raw) ** 0.5)

    def labelled(a, b):
        pool = np.vstack([a, b])
        for chosen in itertools.combinations(range(len(pool)), len(a)):
            rest = [i for i in range(len(pool)) if i not in chosen]
            yield of(pool[list(chosen)]) - of(pool[rest])

    each = [list(labelled(a, b)) for a, b in levels]
    seen = np.array([np.mean(one) for one in itertools.product(*each)])
    seen = np.abs(seen[~np.isnan(seen)])

    groups = [([second.slope(x, r) for r in a], [second.slope(x, r) for r in b]) for a, b in levels]
    groups = [([s for s in a if s == s], [s for s in b if s == s]) for a, b in groups]
    dof = sum(len(a) + len(b) - 2 for a, b in groups)
    squares = sum(np.var(g) * len(g) for pair in groups for g in pair)
    mean = np.mean([np.mean(a) - np.mean(b) for a, b in groups])
    return {
        "slopes": [float(np.mean([of(a) for a, _ in levels])), float(np.mean([of(b) for _, b in levels]))],
        "difference": estimate,
        "percentile": percentile,
        "t_widened": widened,
        "labellings": len(seen),
        "p": float((seen >= abs(estimate) - 1e-9).mean()),
        "smallest_detectable": smallest(variance**0.5, df),
        "hedges_g": float(mean / (squares / dof) ** 0.5 * (1 - 3 / (4 * dof - 1))),
        "cliffs_delta": float(np.mean([np.mean(np.sign(np.subtract.outer(a, b))) for a, b in groups])),
    }


def main():
    import numpy as np

    rng = np.random.default_rng(61)
    x = np.array([1, 2, 3, 5, 8, 9.0])

    def arm(chains, rise, level, share=0.0):
        values = np.round(level + np.outer(rise + rng.normal(0, 0.3, chains), x) + rng.normal(0, 1, (chains, len(x))), 4)
        values[rng.random(values.shape) < share] = np.nan
        return values

    def levels(chains, rise, share=0.0):
        """Levels lie far apart, as tasks do; what differs between the arms is small."""
        return [
            (arm(a, rise + 2 * i, 50 * i, share), arm(b, 2 * i, 50 * i, share))
            for i, (a, b) in enumerate(chains)
        ]

    cases = [
        ("tasks of one chain each", paired, levels([(1, 1)] * 11, 0.4)),
        ("tasks with gaps", paired, levels([(3, 2), (2, 4), (1, 3), (2, 2)], 0.3, 0.2)),
        ("two tasks", paired, levels([(2, 2), (3, 1)], 0.0)),
        ("two levels", within, levels([(3, 3), (2, 4)], 0.4)),
        ("three levels with gaps", within, levels([(3, 3), (2, 3), (2, 2)], 0.3, 0.15)),
        ("one level", within, levels([(4, 3)], 0.2)),
    ]
    out = {
        "options": second.OPTIONS,
        "cases": [
            {
                "name": name,
                "how": how.__name__,
                "index": x.tolist(),
                "levels": [{"a": a.tolist(), "b": b.tolist()} for a, b in parts],
                "expected": how(x, parts),
            }
            for name, how, parts in cases
        ],
    }
    json.dump(second.plain(out), sys.stdout, indent=1)
    print()


main()
