"""Lines through measurements of loops, to 17 digits.

Made by:  python3 loops.py > loops.csv      (plain Python 3, a second)

In exact fractions, by the definition of the slope as a minimum: the sum of weighted absolute
deviations is computed at every candidate, and the least one is kept. The Rust accumulates weights
in order.
"""
from fractions import Fraction


def measurements(kind):
    lengths = {
        "growing": [int(20 * 1.05 ** k) for k in range(30)],
        "doubling": [2 ** k for k in range(12)],
        "equal": [1000] * 15,
        "few": [1, 2, 3],
    }[kind.split("-")[0]]
    for i, length in enumerate(lengths):
        noise = (i * i * 7919 + i * 104729) % 2003 - 1001
        total = 10_000_000 + 2_000_000 * length + 20 * length * noise
        if kind.endswith("-slow") and i % 7 == 3:
            total = total * 3 // 2
        yield Fraction(length), Fraction(total)


def least_deviation(values):
    """The middle of all candidates at which the sum of weighted deviations is least."""
    candidates = sorted({v for v, _ in values})
    # The sum is convex, so its least value is found by halving.
    low, high = 0, len(candidates) - 1
    cost = lambda at: sum(w * abs(v - at) for v, w in values)
    while high - low > 2:
        middle = (low + high) // 2
        if cost(candidates[middle]) <= cost(candidates[middle + 1]):
            high = middle + 1
        else:
            low = middle
    costs = [cost(c) for c in candidates[low:high + 1]]
    least = [c for c, k in zip(candidates[low:high + 1], costs) if k == min(costs)]
    return sum(least) / len(least)


def robust(points, fitted):
    if not fitted:
        return least_deviation([(y / x, x) for x, y in points]), Fraction(0)
    pairs = [(p, q) for i, p in enumerate(points) for q in points[i + 1:] if p[0] != q[0]]
    slope = least_deviation([((q[1] - p[1]) / (q[0] - p[0]), abs(q[0] - p[0])) for p, q in pairs])
    return slope, least_deviation([(y - slope * x, 1 / x) for x, y in points])


def main():
    print("kind,intercept,per_iteration,overhead")
    for kind in ["growing", "growing-slow", "doubling", "doubling-slow", "few", "equal", "equal-slow"]:
        points = list(measurements(kind))
        for fitted in [True, False]:
            if fitted and kind.startswith("equal"):
                continue
            slope, overhead = robust(points, fitted)
            name = "fitted" if fitted else "zero"
            print(f"{kind},{name},{float(slope):.17g},{float(overhead):.17g}")


if __name__ == "__main__":
    main()
