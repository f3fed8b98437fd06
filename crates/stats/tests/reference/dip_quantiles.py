"""Quantiles of sqrt(n) * dip under the uniform distribution, by Monte Carlo.

Made by:  python3 dip_quantiles.py > dip_quantiles.csv      (plain Python 3, about 5 minutes)

src/modality/table.rs takes its numbers from that file; a test compares the two. The uniform is the
least favourable unimodal distribution for large n (Hartigan & Hartigan 1985), so these quantiles
are the critical values of the test.

The dip is computed here by the algorithm of Hartigan (Applied Statistics 34, AS 217, 1985), the
closing-in of the modal interval; the Rust bisects over the mode instead.
"""
import random

LEVELS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999]
DRAWS = [(4, 200_000), (5, 200_000), (6, 200_000), (7, 200_000), (8, 200_000), (9, 200_000), (10, 200_000),
         (12, 200_000), (15, 200_000), (20, 200_000), (30, 200_000), (50, 200_000), (100, 200_000),
         (200, 100_000), (500, 60_000), (1000, 40_000), (2000, 20_000), (5000, 10_000)]


def dip(x):
    """AS 217 on ascending x, 0-based, with the corrections of Maechler (R package diptest)."""
    n = len(x)
    if n < 2 or x[0] == x[-1]:
        return 0.5 / n
    low, high = 0, n - 1
    dip2n = 1.0
    mn = [0] * n  # predecessor of each point on the greatest convex minorant
    for j in range(1, n):
        mn[j] = j - 1
        while True:
            k = mn[j]
            m = mn[k]
            if k == 0 or (x[j] - x[k]) * (k - m) < (x[k] - x[m]) * (j - k):
                break
            mn[j] = m
    mj = [n - 1] * n  # successor of each point on the least concave majorant
    for k in range(n - 2, -1, -1):
        mj[k] = k + 1
        while True:
            j = mj[k]
            m = mj[j]
            if j == n - 1 or (x[k] - x[j]) * (j - m) < (x[j] - x[m]) * (k - j):
                break
            mj[k] = m
    while True:
        gcm = [high]
        while gcm[-1] > low:
            gcm.append(mn[gcm[-1]])
        lcm = [low]
        while lcm[-1] < high:
            lcm.append(mj[lcm[-1]])
        ig, ih = len(gcm) - 1, len(lcm) - 1
        ix, iv = ig - 1, 1
        d = 0.0
        if ig != 1 or ih != 1:
            while True:
                g, h = gcm[ix], lcm[iv]
                if g > h:
                    g1 = gcm[ix + 1]
                    dx = (h - g1 + 1) - (x[h] - x[g1]) * (g - g1) / (x[g] - x[g1])
                    iv += 1
                    if dx >= d:
                        d, ig, ih = dx, ix + 1, iv - 1
                else:
                    h1 = lcm[iv - 1]
                    dx = (x[g] - x[h1]) * (h - h1) / (x[h] - x[h1]) - (g - h1 - 1)
                    ix -= 1
                    if dx >= d:
                        d, ig, ih = dx, ix + 1, iv
                ix = max(ix, 0)
                iv = min(iv, len(lcm) - 1)
                if gcm[ix] == lcm[iv]:
                    break
        else:
            d = 1.0
        if d < dip2n:
            break
        dip_l = 0.0
        for j in range(ig, len(gcm) - 1):
            top = 1.0
            jb, je = gcm[j + 1], gcm[j]
            if je - jb > 1 and x[je] != x[jb]:
                c = (je - jb) / (x[je] - x[jb])
                for k in range(jb, je + 1):
                    top = max(top, (k - jb + 1) - (x[k] - x[jb]) * c)
            dip_l = max(dip_l, top)
        dip_u = 0.0
        for j in range(ih, len(lcm) - 1):
            top = 1.0
            jb, je = lcm[j], lcm[j + 1]
            if je - jb > 1 and x[je] != x[jb]:
                c = (je - jb) / (x[je] - x[jb])
                for k in range(jb, je + 1):
                    top = max(top, (x[k] - x[jb]) * c - (k - jb - 1))
            dip_u = max(dip_u, top)
        dip2n = max(dip2n, dip_l, dip_u)
        if low == gcm[ig] and high == lcm[ih]:
            break
        low, high = gcm[ig], lcm[ih]
    return dip2n / (2 * n)


def main():
    generator = random.Random(1985)
    print("n," + ",".join(str(level) for level in LEVELS))
    for n, draws in DRAWS:
        dips = sorted(dip(sorted(generator.random() for _ in range(n))) for _ in range(draws))
        row = [dips[min(int(level * draws), draws - 1)] * n ** 0.5 for level in LEVELS]
        print(f"{n}," + ",".join(f"{q:.5f}" for q in row), flush=True)


if __name__ == "__main__":
    main()
