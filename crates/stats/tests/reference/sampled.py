"""Intervals of shares and changes of sampled profiles, to 17 digits.

Made by:  python3 sampled.py > sampled.csv      (plain Python 3, some seconds)

Student's t by the finite trigonometric sums of Abramowitz and Stegun (26.7.3 and 26.7.4) and bisection; variances
by leave-one-out (share) and by pairs of rounds (change); the pace of a round by trying each function's ratio as the
median; Clopper and Pearson by exact fractions. The Rust uses the
incomplete beta function and sums of squares.
"""
from itertools import combinations
from statistics import NormalDist
from math import atan, cos, exp, log, pi, sin, sqrt

from proportion import at_least, boundary
from fractions import Fraction


def within(t, df):
    """P(|T| <= t)."""
    angle = atan(t / sqrt(df))
    term, total = 1.0, 0.0
    if df % 2:
        if df > 1:
            term = cos(angle)
            for k in range(1, (df - 1) // 2 + 1):
                total += term
                term *= 2 * k / (2 * k + 1) * cos(angle) ** 2
        return 2 / pi * (angle + sin(angle) * total)
    for k in range(1, df // 2 + 1):
        total += term
        term *= (2 * k - 1) / (2 * k) * cos(angle) ** 2
    return sin(angle) * total


def quantile(alpha, df):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        if within(middle, df) < 1 - alpha:
            low = middle
        else:
            high = middle
    return low


def proportion(k, n, alpha):
    half = Fraction(str(alpha)) / 2
    low = 0 if k == 0 else boundary(lambda p: at_least(k, n, p) < half)
    high = 1 if k == n else boundary(lambda p: 1 - at_least(k + 1, n, p) > half)
    return float(low), float(high)


def share(part, whole, alpha):
    k, n, runs = sum(part), sum(whole), len(part)
    low, high = proportion(k, n, alpha)
    estimate = k / n
    if runs > 1:
        # The variance of residuals, whose mean is 0, by all pairs.
        residuals = [p - estimate * w for p, w in zip(part, whole)]
        variance = sum((a - b) ** 2 for a, b in combinations(residuals, 2)) / (runs * (runs - 1))
        reach = quantile(alpha, runs - 1) * sqrt(variance / runs) / (n / runs)
        low, high = min(low, estimate - reach), max(high, estimate + reach)
    return estimate, max(low, 0.0), min(high, 1.0)


def reaching(alpha, rounds, variance, sampling):
    return max(quantile(alpha, rounds - 1) * sqrt(variance), NormalDist().inv_cdf(1 - alpha / 2) * sqrt(sampling))


def change(before, after, of_before, of_after, alpha):
    rounds = len(before)
    differences = [a * of_after - b * of_before for b, a in zip(before, after)]
    estimate = sum(differences) / rounds
    variance = sum((a - b) ** 2 for a, b in combinations(differences, 2)) / (rounds * (rounds - 1)) / rounds
    sampling = (sum(before) * of_before ** 2 + sum(after) * of_after ** 2) / rounds ** 2
    reach = reaching(alpha, rounds, variance, sampling)
    return estimate, estimate - reach, estimate + reach


def medians(weighted):
    """The values that have at most half of the weight on either side."""
    half = sum(weight for _, weight in weighted) / 2
    found = set()
    for value, _ in weighted:
        below = sum(weight for other, weight in weighted if other < value)
        above = sum(weight for other, weight in weighted if other > value)
        if below <= half and above <= half:
            found.add(value)
    return found


def paces(functions, alpha):
    """A logarithm for each round; None where the functions do not tell."""
    if not functions:
        return None
    rounds = range(len(functions[0][0]))
    weights = [sqrt(sum(before) + sum(after)) for before, after in functions]
    if 3 * max(weights) > sum(weights):
        return None
    found = []
    for r in rounds:
        both = [(log(after[r] / before[r]), weight) for (before, after), weight in zip(functions, weights)
                if before[r] and after[r]]
        middle = medians(both)
        found.append(sum(middle) / len(middle))
    mean = sum(found) / len(found)
    variance = sum((a - b) ** 2 for a, b in combinations(found, 2)) / (len(found) * (len(found) - 1))
    reach = quantile(alpha, len(found) - 1) * sqrt(variance / len(found))
    return found if mean - reach <= 0 <= mean + reach else None


def at_one_pace(functions, period, alpha):
    """A line of numbers for each function, which all have at least ten samples and six rounds."""
    found = list(at_pace(functions, paces(functions, alpha), period, alpha))
    others = [function for function, (_, low, high) in zip(functions, found) if low <= 0 <= high]
    return list(at_pace(functions, paces(others, alpha), period, alpha))


def at_pace(functions, pace, period, alpha):
    everything = sum(sum(before) + sum(after) for before, after in functions)
    pace = pace or [0.0] * len(functions[0][0])
    for before, after in functions:
        level = alpha * (sum(before) + sum(after)) / everything
        old = [b * period * exp(p / 2) for b, p in zip(before, pace)]
        new = [a * period * exp(-p / 2) for a, p in zip(after, pace)]
        n = len(old)
        differences = [a - b for a, b in zip(new, old)]
        estimate = sum(differences) / n
        variance = sum((a - b) ** 2 for a, b in combinations(differences, 2)) / (n * (n - 1)) / n
        sampling = sum(t * t / count for t, count in zip(old + new, before + after) if count) / n ** 2
        reach = reaching(level, n, variance, sampling)
        yield estimate, estimate - reach, estimate + reach


def line(kind, first, second, periods, alpha, found):
    words = [" ".join(map(str, numbers)) for numbers in (first, second)]
    print(",".join([kind, *words, *map(repr, periods), str(alpha), *(f"{number:.17g}" for number in found)]))


def main():
    print("kind,first,second,before_period,after_period,alpha,estimate,low,high")
    shares = [
        ([78, 70, 81, 77], [100, 95, 104, 99]), ([0, 0, 0], [50, 60, 55]), ([10, 40, 20, 30, 25], [100] * 5),
        ([5], [20]), ([30, 31], [30, 31]), ([1, 0, 0, 2, 0, 1], [40, 41, 39, 42, 40, 38]),
    ]
    for part, whole in shares:
        for alpha in [0.05, 0.01]:
            line("share", part, whole, [1, 1], alpha, share(part, whole, alpha))
    changes = [
        ([100, 104, 98, 101, 99, 103], [131, 128, 135, 126, 130, 129], 0.001, 0.001),
        ([100, 104, 98, 101, 99, 103], [101, 99, 104, 98, 103, 100], 0.001003, 0.000997),
        ([3] * 6, [4] * 6, 0.001, 0.001), ([900, 400, 880, 410, 905, 390, 870], [905, 880, 400, 890, 415, 420, 900], 0.002, 0.002),
        ([0, 0], [7, 9], 0.01, 0.02), ([500] * 3, [400] * 3, 0.001, 0.001),
    ]
    for before, after, of_before, of_after in changes:
        for alpha in [0.05, 0.0004]:
            found = change(before, after, of_before, of_after, alpha)
            line("change", before, after, [of_before, of_after], alpha, found)
    for number, functions in enumerate(programs()):
        for (before, after), found in zip(functions, at_one_pace(functions, 0.001, 0.05)):
            line(f"program {number}", before, after, [0.001, 0.001], 0.05, found)


def programs():
    """Functions of programs: at one pace each round, at another throughout, and with one that would set it."""
    slow = [1.0, 1.07, 0.96, 1.02, 0.93, 1.03]
    sizes = [400, 300, 220, 160, 90]
    noise = [[2, -1, 0, 1, -2, 1], [-1, 1, 2, -2, 0, 1], [0, 2, -1, 1, 1, -2], [1, -1, 1, 0, -1, 1], [1, 0, -1, 1, 0, -1]]

    def program(sizes, factors, more):
        made = []
        for place, size in enumerate(sizes):
            before = [round(size / sqrt(f)) + noise[place][r] for r, f in enumerate(slow)]
            grown = size * (1 + (more if place == 0 else 0.0))
            after = [round(grown * sqrt(f) * factor) + noise[place][(r + 2) % 6]
                     for r, (f, factor) in enumerate(zip(slow, factors))]
            made.append((before, after))
        return made

    one_missing = program(sizes, [1.0] * 6, 0.0)
    one_missing[4][1][3] = 0
    return [
        program(sizes, [1.0] * 6, 0.12), program(sizes, [1.2] * 6, 0.0), program([900, 120, 100], [1.0] * 6, 0.1), one_missing,
    ]


if __name__ == "__main__":
    main()
