"""What later looks and rounds would say, to 15 digits.

Made by:  python3 outlook.py > outlook.csv      (plain Python 3, a second)

Normal quantiles are those of Python's `statistics`. The interval of the median is found by adding up
coin tosses as fractions, and the rounds that find a change by trying one number after the other; the
Rust works with closed forms.
"""
from fractions import Fraction
from math import comb, exp, expm1, log, log1p, pi, sqrt
from statistics import NormalDist, median

FEW = ([1.0, 1.1, 0.9, 1.05], [1.2, 1.21, 1.19, 1.4])
MANY = (
    [1.0, 1.1, 0.9, 1.05, 1.0, 0.97, 1.3, 1.01, 0.99, 1.02, 1.04, 0.95],
    [1.2, 1.21, 1.19, 1.4, 1.1, 1.22, 1.18, 1.15, 1.0, 1.3, 1.17, 1.16],
)


def two_sided(alpha):
    return NormalDist().inv_cdf(1 - alpha / 2)


def interval_of_median(ordered, alpha):
    """The innermost pair of order statistics of which fair coins allow it."""
    n, rank, below = len(ordered), 0, Fraction(0)
    while 2 * (below + Fraction(comb(n, rank), 2**n)) <= Fraction(alpha):
        below += Fraction(comb(n, rank), 2**n)
        rank += 1
    return ordered[rank - 1], ordered[n - rank]


def scatter(baseline, candidate):
    logs = sorted(log(c / b) for b, c in zip(baseline, candidate))
    middle = median(logs)
    if len(logs) < 10:
        return middle, 1.4826 * median(abs(one - middle) for one in logs)
    low, high = interval_of_median(logs, 0.1)
    return middle, (high - low) / 2 / two_sided(0.1) * sqrt(len(logs))


def rounds_to_detect(wanted, found, rounds):
    needed = 1
    while expm1(log1p(found) * sqrt(rounds / needed)) > wanted:
        needed += 1
    return needed


def show(what, arguments, *values):
    listed = [" ".join(repr(one) for one in argument) for argument in arguments]
    print(f"{what},{';'.join(listed)},{' '.join(f'{value:.17g}' for value in values)}")


def main():
    print("what,arguments,values")
    for alpha, clock in [(0.05, 1.0), (0.05, 0.1), (0.01, 0.3), (0.001, 0.01)]:
        show("critical", [[alpha], [clock]], two_sided(alpha * clock / 2))
    for pairs in [FEW, MANY]:
        show("scatter", pairs, *scatter(*pairs))
    for deviation, rounds in [(0.1, 603), (0.02, 10)]:
        width = two_sided(0.05) * deviation * sqrt(pi / 2) / sqrt(rounds)
        show("median", [[deviation], [rounds]], width)
    for ratio, deviation, rounds, z in [(1.1, 0.1, 25, 2.5), (0.7, 0.05, 100, 4.0)]:
        reach = z * deviation / sqrt(rounds)
        values = ratio, ratio * exp(-reach), ratio * exp(reach)
        show("estimate", [[ratio], [deviation], [rounds], [z]], *values)
    for wanted, found, rounds in [(0.01, 0.03, 20), (0.01, 0.005, 20), (0.02, 0.5, 1)]:
        show("rounds", [[wanted], [found], [rounds]], rounds_to_detect(wanted, found, rounds))


if __name__ == "__main__":
    main()
