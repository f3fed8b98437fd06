"""Ratios and their intervals, and the two-sample tests, by brute force on small samples.

Made by:  python3 estimators.py > estimators.csv      (plain Python 3, seconds)

Each line: kind, alpha, what is expected (three numbers, or one), then `|`, then the two samples
separated by `|`. Pseudo-medians by sorting every Walsh average; signed-rank and sign intervals by
trying every choice of signs or counting subsets; Student's quantile by numerical integration of
the density; the rank-sum test by listing every choice of the groups.
"""
import math
import random
from fractions import Fraction
from itertools import combinations
from statistics import mean, median, quantiles, stdev

from signed_rank import by_counting, interval_rank


def pseudo_median(d, alpha):
    walsh = sorted((d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i, len(d)))
    k = interval_rank(by_counting(len(d)), len(d), alpha)
    low, high = (walsh[k - 1], walsh[-k]) if k else (-math.inf, math.inf)
    return median(walsh), low, high


def sign_median(d, alpha):
    d, n, k, total = sorted(d), len(d), 0, 0
    while True:
        total += math.comb(n, k)
        if Fraction(total, 2 ** n) > Fraction(alpha) / 2:
            break
        k += 1
    low, high = (d[k - 1], d[-k]) if k else (-math.inf, math.inf)
    return median(d), low, high


def student_tail(t, df):
    """Simpson's rule on the density after t = sqrt(df) tan(angle)."""
    steps = 20_000
    start = math.atan(t / math.sqrt(df))
    h = (math.pi / 2 - start) / steps
    value = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * math.cos(start + i * h) ** (df - 1)
                for i in range(steps + 1)) * h / 3
    return value * math.gamma((df + 1) / 2) / (math.gamma(df / 2) * math.sqrt(math.pi))


def student_two_sided(alpha, df):
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, df) > alpha / 2 else (low, middle)
    return low


def mean_ratio(b, c, alpha):
    n, ratio = len(b), sum(c) / sum(b)
    rest = [y - ratio * x for x, y in zip(b, c)]
    error = math.sqrt(sum(e * e for e in rest) / (n - 1) / n) / mean(c)
    half = student_two_sided(float(alpha), n - 1) * error
    return math.log(ratio), math.log(ratio) - half, math.log(ratio) + half


def block_minima(b, c, alpha, blocks):
    n = len(b)
    cuts = [i * n // blocks for i in range(blocks + 1)]
    d = [math.log(min(c[i:j]) / min(b[i:j])) for i, j in zip(cuts, cuts[1:])]
    _, low, high = pseudo_median(d, alpha)
    point = math.log(min(c) / min(b))
    return point, min(low, point), max(high, point)


def rank_sum(a, b):
    pooled = a + b
    def wins(second):
        chosen = set(second)
        return sum(pooled[j] > pooled[i] for j in chosen for i in range(len(pooled)) if i not in chosen)
    middle = len(a) * len(b) / 2
    seen = wins(range(len(a), len(pooled)))
    all_u = [wins(s) for s in combinations(range(len(pooled)), len(b))]
    tail = min(sum(u <= seen for u in all_u), sum(u >= seen for u in all_u))
    shift = median(y - x for x in a for y in b)
    return shift, min(1, 2 * tail / len(all_u)), seen / (len(a) * len(b))


def welch(a, b):
    x, y = stdev(a) ** 2 / len(a), stdev(b) ** 2 / len(b)
    df = (x + y) ** 2 / (x * x / (len(a) - 1) + y * y / (len(b) - 1))
    t = abs(mean(a) - mean(b)) / math.sqrt(x + y)
    return 2 * student_tail(t, df)


def line(kind, alpha, expected, *samples):
    show = lambda numbers: ",".join(f"{v:.17g}" for v in numbers)
    print(f"{kind},{alpha}|" + "|".join(show(numbers) for numbers in (expected, *samples)))


def main():
    generator = random.Random(1945)
    print("# kind,alpha|expected|sample|sample")
    for n in (1, 4, 6, 9, 15, 30, 60):
        b = [math.exp(generator.gauss(0, 0.1)) for _ in range(n)]
        c = [x * 1.05 * math.exp(generator.gauss(0, 0.02)) for x in b]
        d = [math.log(y / x) for x, y in zip(b, c)]
        for alpha in ("0.05", "0.2"):
            line("pseudo_median", alpha, map(math.exp, pseudo_median(d, alpha)), b, c)
            line("median", alpha, map(math.exp, sign_median(d, alpha)), b, c)
            if n > 1:
                line("mean", alpha, map(math.exp, mean_ratio(b, c, alpha)), b, c)
            line("min", alpha, map(math.exp, block_minima(b, c, alpha, min(n, 8))), b, c)
        counts = [round(20 * x) for x in b]
        more = [k + generator.choice((0, 0, 1, 2)) for k in counts]
        point, low, high = pseudo_median([y - x for x, y in zip(counts, more)], "0.05")
        scale = median(counts)
        line("difference", "0.05", [max(0, 1 + v / scale) for v in (point, low, high)], counts, more)
    for m, n in ((1, 1), (3, 4), (6, 5), (8, 8)):
        a = [generator.gauss(0, 1) for _ in range(m)]
        b = [generator.gauss(0.8, 1.5) for _ in range(n)]
        line("rank_sum", "", rank_sum(a, b), a, b)
        if m > 1:
            line("welch", "", [welch(a, b)], a, b)
    for n in (2, 5, 6, 12, 33):
        v = [generator.expovariate(1) ** 3 for _ in range(n)]
        q1, _, q3 = quantiles(v, n=4, method="inclusive")
        beyond = [sum(x < q1 - f * (q3 - q1) or x > q3 + f * (q3 - q1) for x in v) for f in (1.5, 3)]
        expected = [mean(v), stdev(v), median(v), q1, q3, beyond[0] - beyond[1], beyond[1]]
        line("summary", "", expected, v, sign_median(v, "0.05")[1:])
    seldom = random.Random(1946)
    for n in (4, 9, 15, 30):
        b = [1 if i % 4 == 3 else 0 for i in range(n)]
        c = [x + seldom.choice((0, 1, 2, 3)) for x in b]
        for first, second in ((b, c), (c, b)):
            d = [y - x for x, y in zip(first, second)]
            line("from_or_to_zero", "0.05", pseudo_median(d, "0.05"), first, second)


if __name__ == "__main__":
    main()
