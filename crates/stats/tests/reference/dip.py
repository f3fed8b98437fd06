"""The dip from its definition, by asking of each distance whether a unimodal function fits.

Made by:  python3 dip.py > dip.csv      (plain Python 3, seconds)

For a mode at one of the values and a distance d, all bounds are linear: a convex function left of the
mode and a concave one right of it, both within d of the steps, and no fall at the mode. Every chord is
tried; the distance is bisected. The Rust, and dip_quantiles.py, follow AS 217 instead.
Lines: dip|values.
"""
import random

from dip_quantiles import dip as as217


def lowest_end(x, feet, tops, d):
    """The least value at x[-1] of a convex increasing function within d, or None."""
    last = len(x) - 1
    for j in range(last):
        chords = [feet[i] + (feet[k] - feet[i]) * (x[j] - x[i]) / (x[k] - x[i])
                  for i in range(j) for k in range(j + 1, last + 1)]
        if min([feet[j]] + chords) + d < tops[j] - d:
            return None
    lines = [tops[j] - d + (tops[j] - feet[i] - 2 * d) * (x[last] - x[j]) / (x[j] - x[i])
             for j in range(last) for i in range(j)]
    return max([feet[last] - d] + [t - d for t in tops[:last]] + lines)


def fits(x, feet, tops, m, d):
    left = lowest_end(x[: m + 1], feet[: m + 1], tops[: m + 1], d)
    back = lambda v: [-u for u in reversed(v)]
    right = lowest_end(back(x[m:]), back(tops[m:]), back(feet[m:]), d)
    return left is not None and right is not None and left <= -right


def dip(values):
    n, x = len(values), sorted(set(values))
    feet = [sum(v < at for v in values) / n for at in x]
    tops = [sum(v <= at for v in values) / n for at in x]
    low, high = 0.5 / n, 0.5
    for _ in range(50):
        d = (low + high) / 2
        if any(fits(x, feet, tops, m, d) for m in range(len(x))):
            high = d
        else:
            low = d
    return high


def main():
    generator = random.Random(217)
    print("# dip|values")
    shapes = [lambda: generator.random(), lambda: generator.gauss(0, 1) + generator.choice((0, 5)),
              lambda: float(generator.randint(1, 6)), lambda: generator.expovariate(1)]
    for n in (4, 5, 9, 14, 22, 22, 22):
        for shape in shapes:
            values = [shape() for _ in range(n)]
            answer = dip(values)
            assert abs(answer - as217(sorted(values))) < 1e-12, (answer, values)
            print(f"{answer:.17g}|" + ",".join(f"{v:.17g}" for v in values))


if __name__ == "__main__":
    main()
