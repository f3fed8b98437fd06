"""Fronts, knees and thrifty members, by trying everything.

Made by:  python3 front.py > front.csv      (plain Python 3, a second)

The front is found from its definition: of all subsets of the points in which no member dominates or
equals another, those that leave no point without a member that dominates or equals it. All such
sets are listed; knee and thrifty member are those of the first. The knee is found by the distance
from a straight line, in vectors; the thrifty member in seconds and bytes. The Rust peels the front,
and works with logarithms.
"""
import itertools
import math
import random


def better(a, b, i, eps):
    return a[i] < b[i] - eps[i]


def covers(a, b, eps):
    """a dominates b, or equals it."""
    return not any(better(b, a, i, eps) for i in range(2))


def equals(a, b, eps):
    return covers(a, b, eps) and covers(b, a, eps)


def fronts(points, eps):
    """All sets of places that are fronts."""
    places = range(len(points))
    for size in range(1, len(points) + 1):
        for members in itertools.combinations(places, size):
            pairs = itertools.permutations(members, 2)
            if any(covers(points[a], points[b], eps) for a, b in pairs):
                continue
            if all(p in members or any(covers(points[m], points[p], eps) for m in members) for p in places):
                yield members


def knee(members):
    if len(members) < 3:
        return None
    first = min(members)
    last = min(members, key=lambda m: (m[1], m[0]))
    width, height = last[0] - first[0], first[1] - last[1]
    if width <= 0 or height <= 0:
        return None
    scaled = [((m[0] - first[0]) / width, (m[1] - last[1]) / height) for m in members]
    # The line from (0, 1) to (1, 0); the cross product is positive to the lower left of it.
    depths = [((1 - 0) * (1 - y) - (0 - 1) * (0 - x)) / math.sqrt(2) for x, y in scaled]
    deepest = max(range(len(members)), key=lambda i: depths[i])
    return deepest if depths[deepest] > 1e-9 else None


def thrifty(members, default):
    seconds = [math.exp(m[0]) for m in members]
    sizes = [math.exp(m[1]) for m in members]
    start, floor = math.exp(default[0]), math.exp(default[1])
    best = min(range(len(members)), key=lambda i: seconds[i])
    gain, price = start - seconds[best], sizes[best] - floor
    if gain <= 0 or price <= 0:
        return None
    able = [i for i in range(len(members)) if start - seconds[i] >= 0.9 * gain and sizes[i] - floor <= 0.5 * price]
    return min(able, key=lambda i: sizes[i]) if able else None


def text(values):
    return ";".join(f"{value:.17g}" for value in values)


def place(found):
    return "none" if found is None else str(found)


def main():
    chance = random.Random(5)
    print("eps|points|default|fronts|knee|thrifty")
    for _ in range(200):
        count = chance.randint(1, 7)
        eps = (chance.choice([0.0, 0.01, 0.1]), chance.choice([0.0, 0.02, 0.1]))
        steep = chance.choice([4, 12, 12, 30])
        points = []
        for _ in range(count):
            x = chance.uniform(0.0, 1.0) ** 2
            shape = math.exp(-steep * x) if chance.random() < 0.7 else chance.uniform(0.0, 1.0)
            points.append((x, shape + chance.uniform(0.0, 0.05)))
        default = points[0] if chance.random() < 0.3 else (chance.uniform(0.9, 1.6), chance.uniform(-0.5, 0.1))
        found = list(fronts(points, eps))
        members = sorted(points[i] for i in found[0])
        sets = "/".join(";".join(map(str, members)) for members in found)
        coordinates = "/".join(text(point) for point in points)
        chosen = f"{place(knee(members))}|{place(thrifty(members, default))}"
        print(f"{text(eps)}|{coordinates}|{text(default)}|{sets}|{chosen}")


if __name__ == "__main__":
    main()
