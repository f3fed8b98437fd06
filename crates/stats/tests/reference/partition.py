#!/usr/bin/env python3
"""The cheapest segmentation by trying all of them: python3 partition.py > partition.csv

A segment costs the least, over all choices of the points that count, of the weighted squares about
their mean and a bound for each other point. Every set of points and every set of changes is tried.
"""

import itertools
import random


def segment_cost(points, bound):
    best = bound * len(points)
    for size in range(1, len(points) + 1):
        for chosen in itertools.combinations(points, size):
            weight = sum(w for _, w in chosen)
            mean = sum(w * y for y, w in chosen) / weight
            squares = sum(w * (y - mean) ** 2 for y, w in chosen)
            best = min(best, squares + bound * (len(points) - size))
    return best


def cheapest(points, bound, penalty):
    n = len(points)
    cost = {
        (i, j): segment_cost(points[i:j], bound) for i in range(n) for j in range(i + 1, n + 1)
    }
    best = (float("inf"), ())
    for count in range(n):
        for changes in itertools.combinations(range(1, n), count):
            ends = (0, *changes, n)
            total = sum(cost[pair] for pair in zip(ends, ends[1:])) + penalty * count
            best = min(best, (total, changes))
    return best


def main():
    random.seed(20)
    print("values;weights;bound;penalty;cost;changes")
    for case in range(60):
        n = random.randint(1, 9)
        level, values = 0.0, []
        for _ in range(n):
            if random.random() < 0.3:
                level += random.choice([-4.0, 4.0, 9.0])
            spike = 30.0 if random.random() < 0.1 else 0.0
            values.append(round(level + spike + random.gauss(0, 1), 3) + (1e6 if case % 5 == 0 else 0.0))
        weights = [random.choice([1.0, 1.0, 0.25, 4.0]) for _ in range(n)]
        bound, penalty = random.choice([3.0, 9.0]), random.choice([2.0, 5.0, 12.0])
        total, changes = cheapest(list(zip(values, weights)), bound, penalty)
        cells = [" ".join(map(repr, values)), " ".join(map(repr, weights)), repr(bound), repr(penalty)]
        print(";".join([*cells, repr(total), " ".join(map(str, changes))]))


main()
