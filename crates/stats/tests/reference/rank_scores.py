"""Sums with fair coins for their signs, and the rank-score interval, by brute force.

Made by:  python3 rank_scores.py > rank_scores.csv      (plain Python 3, about a minute)

Lines `tail|t|p|sizes`: the probability that the sum of the sizes, each with a fair coin for its
sign, is at most t, by listing the sums of either half of the sizes.
Lines `interval|alpha|estimate,low,high|baseline|candidate`: every shift on a fine grid is tested by
the definition, and each change of mind is found by bisection. Where the test changes its mind
more than once on one side, `low` or `high` is the outermost, and a fifth cell has the innermost.
"""
import math
import random
from bisect import bisect_right


def half_sums(sizes):
    sums = [0.0]
    for size in sizes:
        sums = [s - size for s in sums] + [s + size for s in sums]
    return sorted(sums)


def tail(sizes, bound):
    sizes = sorted(s for s in sizes if s > 0)
    slack = 1e-11 * (1 + sum(sizes))
    left, right = half_sums(sizes[::2]), half_sums(sizes[1::2])
    return sum(bisect_right(right, bound + slack - s) for s in left) / 2 ** len(sizes)


def attained(sizes, bound):
    """The largest sum that is at most the bound."""
    left, right = half_sums(sizes[::2]), half_sums(sizes[1::2])
    places = ((s, bisect_right(right, bound - s)) for s in left)
    return max((s + right[place - 1] for s, place in places if place), default=None)


def score_differences(b, c, theta):
    n = len(b)
    c = [y - theta for y in c]
    width = min(7, n)
    aligned = []
    for r in range(n):
        first = min(max(r - width // 2, 0), n - width)
        near = sorted(b[first:first + width] + c[first:first + width])
        level = near[2 * width // 7]
        aligned.append((b[r] - level, c[r] - level))
    pooled = [v for pair in aligned for v in pair]
    def score(v):
        below, equal = sum(w < v for w in pooled), sum(w == v for w in pooled)
        return math.log((below + equal / 2) / (2 * n) + 0.2)
    return [score(y) - score(x) for x, y in aligned]


def changes(said, points):
    """The points where the answer differs from that of the point before, by bisection."""
    found, before = [], said(points[0])
    for a, b in zip(points, points[1:]):
        here = said(b)
        if here != before:
            first = before
            while b - a > 1e-13:
                middle = (a + b) / 2
                if said(middle) == first:
                    a = middle
                else:
                    b = middle
            found.append(b)
        before = here
    return found


def interval(b, c, alpha):
    n, far = len(b), max(abs(y - x) for x in b for y in c)
    points = [far * (i / 400 - 1) * 1.01 for i in range(801)]
    cached = {}
    def test(theta):
        if theta not in cached:
            d = score_differences(b, c, theta)
            sizes = [abs(v) for v in d]
            cached[theta] = sum(d), tail(sizes, sum(d)), tail(sizes, -sum(d))
        return cached[theta]
    total = lambda theta: test(theta)[0]
    zero = (changes(lambda t: total(t) > 1e-12, points)[0] + changes(lambda t: total(t) < -1e-12, points)[0]) / 2
    if 2.0 ** -n > alpha / 2:
        return [zero, -math.inf, math.inf, -math.inf, math.inf]
    highs = changes(lambda t: test(t)[1] <= alpha / 2, points)
    lows = changes(lambda t: test(t)[2] <= alpha / 2, points)
    return [zero, lows[0], highs[-1], lows[-1], highs[0]]


def main():
    generator = random.Random(1986)
    show = lambda numbers: ",".join(f"{v:.17g}" for v in numbers)
    print("# tail|t|p|sizes   or   interval|alpha|estimate,low,high,innermost|baseline|candidate")
    for n in (1, 5, 12, 20, 21, 24, 28, 32, 38):
        kinds = {
            "uniform": [generator.random() for _ in range(n)],
            "equal": [1.0] * n,
            "few": [float(generator.choice((0, 1, 2, 5))) for _ in range(n)],
            "uneven": [generator.random() ** 4 for _ in range(n)],
            "ranks": [float(r) for r in range(1, n + 1)],
            "one tiny": [0.001] + [1.0] * (n - 1),
            "scores": [abs(math.log(generator.random() + 0.2) - math.log(generator.random() + 0.2)) for _ in range(n)],
        }
        for sizes in kinds.values():
            deviation = math.sqrt(sum(s * s for s in sizes))
            for z in (0.3, 1, 2, 2.6, 3.3, 4, 4.7):
                t = attained(sizes, -z * deviation)
                if t is not None:
                    print(f"tail|{t:.17g}|{tail(sizes, t):.17g}|{show(sizes)}")
    for n in (1, 3, 6, 9, 13, 16):
        for slow in (0.0, 0.05):
            b = [math.exp(generator.gauss(0, 0.01) + generator.expovariate(1) * slow) for _ in range(n)]
            c = [1.03 * math.exp(generator.gauss(0, 0.01) + generator.expovariate(1) * slow) for _ in range(n)]
            for alpha in (0.05, 0.3):
                found = interval([math.log(x) for x in b], [math.log(y) for y in c], alpha)
                print(f"interval|{alpha}|{show(map(math.exp, found))}|{show(b)}|{show(c)}")


if __name__ == "__main__":
    main()
