"""The independent side of the statistics tests: numpy, and mpmath for the t table.

    python statistics.py table   > src/stats/student_table.rs      (needs mpmath, scipy)
    python statistics.py cases   > fixtures/statistics/cases.json  (needs numpy)

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


if __name__ == "__main__":
    {"table": table}[sys.argv[1]]()
