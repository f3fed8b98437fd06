"""Intervals of quantiles and of ratios of quantiles.

Made by:  python3 quantiles.py > quantiles.csv      (plain Python 3, two minutes)

Binomial sums in exact fractions, every rank tried in turn; the Rust inverts the incomplete beta
function and searches. The readings come from a linear congruential generator, so that they are the
same everywhere; some are equal.
"""
from fractions import Fraction
from math import comb, exp, log, sqrt


def at_most(k, n, p):
    return sum(comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k + 1))


def ranks(n, p, alpha):
    """The largest rank that is beyond p seldom enough, and the smallest that is below it as seldom."""
    low = [k for k in range(1, n + 1) if at_most(k - 1, n, p) <= alpha / 2]
    high = [k for k in range(1, n + 1) if 1 - at_most(k - 1, n, p) <= alpha / 2]
    return (low[-1] if low else 0), (high[0] if high else 0)


def least(p, alpha):
    rest = min(p, 1 - p)
    n = 1
    while (1 - rest) ** n > alpha / 2:
        n += 1
    return n


def type7(values, p):
    ordered = sorted(values)
    place = p * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    part = float(place - below)
    return ordered[below] + part * (ordered[above] - ordered[below])


def ends(values, p, alpha):
    ordered = sorted(values)
    low, high = ranks(len(ordered), p, alpha)
    return log(type7(values, p)), log(ordered[low - 1]), log(ordered[high - 1])


def tells_apart(b, c, p, alpha):
    """Whether the sign test of the rounds with one slow side says that the sides differ."""
    both = sorted(b + c)
    place = p * len(both)
    limit = both[-(-place.numerator // place.denominator) - 1]
    only_b = sum(1 for x, y in zip(b, c) if x > limit >= y)
    only_c = sum(1 for x, y in zip(b, c) if y > limit >= x)
    n = only_b + only_c
    return 2 * at_most(min(only_b, only_c), n, Fraction(1, 2)) <= alpha


def ratio(b, c, p, alpha):
    qb, lb, ub = ends(b, p, alpha)
    qc, lc, uc = ends(c, p, alpha)
    r = qc - qb
    low = r - sqrt((qc - lc) ** 2 + (ub - qb) ** 2)
    high = r + sqrt((uc - qc) ** 2 + (qb - lb) ** 2)
    if not tells_apart(b, c, p, alpha):
        low, high = min(low, 0), max(high, 0)
    return exp(r), exp(low), exp(high)


def main():
    state = 12345

    def uniform():
        nonlocal state
        state = (1103515245 * state + 12345) % 2 ** 31
        return (state + 0.5) / 2 ** 31

    print("what,quantile,alpha,n,a,b,c")
    levels = [Fraction(5, 100), Fraction(1, 100)]
    for quantile in [50000, 75000, 95000, 99000, 1000]:
        p = Fraction(quantile, 100000)
        for alpha in levels:
            print(f"least,{quantile},{float(alpha)},0,{least(p, alpha)},,")
            for n in [5, 40, 300, 500]:
                low, high = ranks(n, p, alpha)
                print(f"ranks,{quantile},{float(alpha)},{n},{low},{high},")
    print(f"least,99900,0.05,0,{least(Fraction(999, 1000), levels[0])},,")
    for quantile, n, slower, tail in [(50000, 25, 1.0, 0), (50000, 60, 1.3, 0), (90000, 120, 1.0, 1),
                                      (90000, 200, 1.1, 1), (99000, 400, 2.0, 1), (99000, 400, 1.0, 2)]:
        p = Fraction(quantile, 100000)
        # Hundredths, so that some are equal; the tail is that of Pareto's distribution.
        def draw(factor, tail):
            u = uniform()
            return round(factor * (1 + (u if tail == 0 else 0.2 * u ** (-0.5 * tail))), 2)
        b = [draw(1.0, min(tail, 1)) for _ in range(n)]
        c = [draw(slower, tail) for _ in range(n)]
        found = ratio(b, c, p, levels[0])
        cells = [" ".join(map(repr, values)) for values in (found, b, c)]
        print(f"ratio,{quantile},0.05,{n},{','.join(cells)}")


if __name__ == "__main__":
    main()
