"""Fieller's interval of a ratio of two independent means, from the roots of a quadratic equation.

Made by:  python3 fieller.py > fieller.csv

A ratio r belongs to the interval if |p - r w| <= sqrt(a^2 + r^2 b^2), where a and b are half the intervals of the
part p and the whole w. The Rust uses closed formulas of the ends (Donner and Zou).
"""
from decimal import Decimal, getcontext

getcontext().prec = 50


def roots(p, a, w, b):
    p, a, w, b = map(Decimal, (p, a, w, b))
    # r^2 (w^2 - b^2) - 2 p w r + p^2 - a^2 = 0
    square, half, rest = w * w - b * b, -p * w, p * p - a * a
    root = (half * half - square * rest).sqrt()
    return (-half - root) / square, (-half + root) / square


print("part,part_reach,whole,whole_reach,low,high")
for case in [("3", "1", "10", "2"), ("0", "1", "10", "2"), ("-4", "1.5", "10", "3"), ("9", "0.5", "10", "4"),
             ("0.002", "0.003", "0.05", "0.01"), ("25", "2", "10", "0")]:
    low, high = roots(*case)
    print(",".join([*case, f"{low:.17g}", f"{high:.17g}"]))
