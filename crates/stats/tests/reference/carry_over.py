"""Suites judged for carry-over, by the definitions.

Made by:  python3 carry_over.py > carry_over.csv      (plain Python 3, some seconds)
          python3 carry_over.py after > after.csv

Student's tail by integrating its density with Simpson's rule; ranks by counting; an effect's interval
by stepping through effects from the estimate outwards until the test objects, and refining. The Rust
uses the incomplete beta function and bisects.
"""
from itertools import permutations
from math import atan, cos, exp, gamma, log, pi, sqrt
from statistics import geometric_mean, median, median_high, median_low
from sys import argv

SIZE, ROUNDS, ALPHA = 4, 8, 0.05


def suite(effect):
    """Processes as (round, [(benchmark, logarithm)])."""
    processes, state = [], 1
    for r in range(ROUNDS):
        orders = [[b] for b in range(SIZE)] + [[0, 1, 2, 3], [3, 2, 1, 0]]
        orders.append([[2, 0, 3, 1], [1, 3, 0, 2], [0, 2, 1, 3], [3, 0, 2, 1], [1, 2, 3, 0], [2, 3, 1, 0],
                       [3, 1, 0, 2], [0, 1, 3, 2]][r])
        for order in orders:
            ran = []
            for place, b in enumerate(order):
                state = (state * 1103515245 + 12345) % 2 ** 31
                noise = (state / 2 ** 30 - 1) / 100
                ran.append((b, noise + r / 50 + effect(b, order, place)))
            processes.append((r, ran))
    return processes


SUITES = {
    "none": lambda b, order, place: 0,
    "not_first": lambda b, order, place: log(1.05) if b == 2 and place > 0 else 0,
    "after": lambda b, order, place: log(1.08) if b == 3 and 0 in order[:place] else 0,
    "just_after": lambda b, order, place: log(0.9) if b == 1 and place > 0 and order[place - 1] == 0 else 0,
}


def causes():
    yield "not_first", 0, lambda order, place: float(place > 0)
    yield "place", 1, lambda order, place: place / (SIZE - 1)
    for other in range(SIZE):
        yield f"just_after_{other}", 2, lambda order, place, o=other: float(place > 0 and order[place - 1] == o)
        yield f"after_{other}", 3, lambda order, place, o=other: float(o in order[:place])


def student_two_sided(t, df):
    """Twice the upper tail, with t = sqrt(df) tan(u): the density becomes a power of the cosine."""
    constant = gamma((df + 1) / 2) / gamma(df / 2) / sqrt(pi)
    start, steps = atan(abs(t) / sqrt(df)), 4000
    width = (pi / 2 - start) / steps
    f = lambda u: constant * max(cos(u), 0.0) ** (df - 1)
    inner = sum((4 if k % 2 else 2) * f(start + k * width) for k in range(1, steps))
    return 2 * width / 3 * (f(start) + inner + f(pi / 2))


def centred(values, rounds):
    mean = {r: sum(v for v, s in zip(values, rounds) if s == r) / rounds.count(r) for r in set(rounds)}
    return [v - mean[r] for v, r in zip(values, rounds)]


def correlation(x, y, rounds):
    level = {r: median(v for v, s in zip(y, rounds) if s == r) for r in set(rounds)}
    aligned = [v - level[r] for v, r in zip(y, rounds)]
    ranks = [sum(w < v for w in aligned) + (sum(w == v for w in aligned) + 1) / 2 for v in aligned]
    a, b = centred(x, rounds), centred(ranks, rounds)
    dot = lambda p, q: sum(i * j for i, j in zip(p, q))
    return dot(a, b) / sqrt(dot(a, a) * dot(b, b)) if dot(b, b) > 0 else 0.0


def orders(x, rounds):
    """In how many orders the numbers can stand, when they are exchanged within rounds."""
    ways = 1
    for r in set(rounds):
        ways *= len(set(permutations(v for v, s in zip(x, rounds) if s == r)))
    return ways


def judge(processes):
    found = []
    for b in range(SIZE):
        own = [(r, [c for c, _ in ran], [c for c, _ in ran].index(b), dict(ran)[b])
               for r, ran in processes if b in [c for c, _ in ran]]
        rounds, y = [o[0] for o in own], [o[3] for o in own]
        df = len(y) - ROUNDS - 1
        columns = []
        for name, kind, presence in causes():
            x = [presence(order, place) for _, order, place, _ in own]
            c = centred(x, rounds)
            if sum(v > 1e-9 for v in c) >= 3 and sum(v < -1e-9 for v in c) >= 3:
                columns.append((name, kind, x))
        kinds = [kind for _, kind, _ in columns]
        weights = [1 / kinds.count(kind) for kind in kinds]
        tested = []
        for (name, _, x), weight in zip(columns, weights):
            r = correlation(x, y, rounds)
            t = r * sqrt(df / (1 - r * r))
            share, raw = weight / sum(weights), student_two_sided(t, df)
            tested.append((max(raw, 2 / orders(x, rounds)) / share, raw / share, name, x, share))
        found.append((min(1.0, min(t[0] for t in tested)), b, tested, y, rounds, df))
    found.sort()
    running = 0.0
    for rank, (least, b, tested, y, rounds, df) in enumerate(found):
        running = max(running, (len(found) - rank) * least)
        if running <= ALPHA:
            factor = running / least
            certain = [t for t in tested if t[0] * factor <= ALPHA * (1 + 1e-12)]
            p, _, name, x, share = min(certain, key=lambda t: t[1])
            yield b, name, interval(x, y, rounds, df, ALPHA * share / factor), p * factor


def interval(x, y, rounds, df, alpha):
    left = lambda effect: correlation(x, [v - effect * u for u, v in zip(x, y)], rounds)
    object_ = lambda r: r * r < 1 and student_two_sided(r * sqrt(df / (1 - r * r)), df) <= alpha

    def edge(start, step, beyond):
        at = start
        while step > 1e-9:
            while not beyond(at + direction * step):
                at += direction * step
            step /= 4
        return at

    direction = 1
    estimate = edge(-0.5, 0.01, lambda e: left(e) <= 0)
    high = edge(estimate, 0.01, lambda e: object_(left(e)))
    direction = -1
    low = edge(estimate, 0.01, lambda e: object_(left(e)))
    return exp(estimate), exp(low), exp(high)


def after(processes):
    """How long each took where another had run before it, by how long it took as the first."""
    for b, other in permutations(range(SIZE), 2):
        ratios = []
        for r in range(ROUNDS):
            times = [([c for c, _ in ran], dict(ran)[b]) for s, ran in processes if s == r and b in dict(ran)]
            first = [exp(v) for order, v in times if order[0] == b]
            later = [exp(v) for order, v in times if other in order and order.index(other) < order.index(b)]
            if first and later:
                ratios.append(geometric_mean(later) / geometric_mean(first))
        # The median of ratios in their logarithms: of an even number, the geometric mean of both in the middle.
        yield b, other, geometric_mean([median_low(ratios), median_high(ratios)]), len(ratios)


def main():
    if argv[1:] == ["after"]:
        print("suite,benchmark,other,ratio,rounds")
        for name, effect in SUITES.items():
            for b, other, ratio, rounds in after(suite(effect)):
                print(f"{name},{b},{other},{ratio:.9g},{rounds}")
        return
    print("suite,benchmark,cause,ratio,low,high,p_value")
    for name, effect in SUITES.items():
        for b, cause, (ratio, low, high), p in judge(suite(effect)):
            print(f"{name},{b},{cause},{ratio:.9g},{low:.9g},{high:.9g},{p:.9g}")


if __name__ == "__main__":
    main()
