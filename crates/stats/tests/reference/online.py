"""Levels of tests one after another, by the recursions of the papers rather than their closed forms.

Made by:  python3 online.py > online.csv      (plain Python 3, some seconds)

`any` is the online fallback of Tian and Ramdas (2021), as its recursion: alpha_i = alpha gamma_i +
alpha_{i-1} if test i-1 rejected. `rate` is LORD++ of Ramdas et al. (2017), as its wealth: every test
pays its level, every rejection earns, and each earning is spent along gamma. The sums of both
sequences come first, by Euler-Maclaurin and by integration of the tail.
Lines: errors, alpha, findings of the tests so far (1 found something), level of the next test.
"""
import math
import random


def zeta(s, terms=2000):
    head = sum(j ** -s for j in range(1, terms))
    n = terms
    return head + n ** (1 - s) / (s - 1) + n ** -s / 2 + s * n ** (-s - 1) / 12


def lord_sum(terms=2_000_000):
    def term(j):
        return math.log(max(j, 2)) / (j * math.exp(math.sqrt(math.log(j))))

    head = math.fsum(term(j) for j in range(1, terms))
    # With u = sqrt(log x), the integral of log x / (x exp(sqrt(log x))) is that of 2 u^3 exp(-u).
    u = math.sqrt(math.log(terms))
    tail = 2 * math.exp(-u) * (u ** 3 + 3 * u ** 2 + 6 * u + 6)
    return head + tail + term(terms) / 2


ZETA = zeta(1.6)
LORD = 1 / lord_sum()


def gamma_lord(j):
    return LORD * math.log(max(j, 2)) / (j * math.exp(math.sqrt(math.log(j))))


def levels_any(alpha, findings):
    levels = []
    for i in range(len(findings) + 1):
        level = alpha * (i + 1) ** -1.6 / ZETA
        if i and findings[i - 1]:
            level += levels[-1]
        levels.append(level)
    return levels


def levels_rate(alpha, findings):
    streams = [(0, alpha / 2)]
    levels = []
    for i in range(len(findings) + 1):
        levels.append(sum(amount * gamma_lord(i + 1 - begun) for begun, amount in streams))
        if i < len(findings) and findings[i]:
            streams.append((i + 1, alpha / 2 if len(streams) == 1 else alpha))
    return levels


print("errors,alpha,findings,level")
print(f"zeta,0,,{ZETA:.12f}")
print(f"lord,0,,{LORD:.9f}")
random.seed(1)
cases = [[], [0], [1], [0, 0, 0], [1, 1, 1], [0, 1], [1, 0], [0, 1, 0, 0, 1, 1]]
cases += [[int(random.random() < 0.2) for _ in range(n)] for n in (10, 40, 200)]
for alpha in (0.05, 0.2):
    for findings in cases:
        text = "".join(map(str, findings))
        print(f"any,{alpha},{text},{levels_any(alpha, findings)[-1]:.15e}")
        print(f"rate,{alpha},{text},{levels_rate(alpha, findings)[-1]:.15e}")
