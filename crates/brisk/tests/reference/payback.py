"""Known answers for `judge/payback.rs`, in exact fractions where it rounds.

    python3 payback.py
"""

from fractions import Fraction as F
from math import atan, ceil, pi, sqrt


def runs(cost, gain):
    """The first whole n with n * gain >= cost, by counting."""
    n = 0
    while n * gain < cost:
        n += 1
    return n


print("runs, low, high:")
for cost, gain in [
    ((F("1.2"), F("1.2"), F("1.2")), (F("0.09"), F("0.075"), F("0.1"))),
    ((F(10), F(8), F(12)), (F(2), F(1), F(4))),
]:
    (c, c_low, c_high), (g, g_low, g_high) = cost, gain
    triple = runs(c, g), runs(c_low, g_high), runs(c_high, g_low)
    assert triple == (ceil(c / g), ceil(c_low / g_high), ceil(c_high / g_low))
    print(*triple)

# Student's t with 3 degrees of freedom has a distribution function in closed form.


def distribution(t):
    x = t / sqrt(3)
    return 0.5 + (x / (1 + x * x) + atan(x)) / pi


low, high = 0.0, 100.0
for _ in range(200):
    middle = (low + high) / 2
    low, high = (middle, high) if distribution(middle) < 0.975 else (low, middle)

values = [1, 2, 3, 6]
mean = F(sum(values), len(values))
variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
half_width = high * sqrt(variance / len(values))
print(f"t = {high:.9f}, half-width = {half_width:.7f}, upper end = {float(mean) + half_width:.7f}")
