"""Normal, Student and binomial probabilities to 17 digits.

Made by:  python3 distributions.py > distributions.csv      (plain Python 3, seconds)

The normal tail by Taylor series in 80-digit decimals; its quantiles by bisection of that. Student's
tail by summing the finite trigonometric series for whole degrees of freedom (Abramowitz & Stegun
26.7.3 and 26.7.4), again in decimals. Binomials in whole numbers. The Rust uses rational
approximations and a continued fraction.
"""
from decimal import Decimal, getcontext

getcontext().prec = 80
D = Decimal


def pi():
    # Machin's formula.
    def arctan_inverse(k):
        x = D(1) / k
        total, term, n = x, x, 1
        while abs(term) > D(10) ** -78:
            term = -term / (k * k)
            n += 2
            total += term / n
        return total
    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


PI = pi()


def upper_normal(z):
    """1/2 - phi(z) * (z + z^3/3 + z^5/(3*5) + ...)"""
    z = D(z)
    term, total, k = z, z, 1
    while abs(term) > D(10) ** -75:
        k += 2
        term = term * z * z / k
        total += term
    return D("0.5") - (-z * z / 2).exp() / (2 * PI).sqrt() * total


def normal_quantile(p):
    p, low, high = D(p), D(-12), D(12)
    for _ in range(120):
        middle = (low + high) / 2
        if 1 - upper_normal(middle) < p:
            low = middle
        else:
            high = middle
    return low


def arctan(x):
    # Halve the angle until the series converges fast.
    halvings = 0
    while abs(x) > D("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    term, total, n = x, x, 1
    while abs(term) > D(10) ** -78:
        term = -term * x * x
        n += 2
        total += term / n
    return total * 2 ** halvings


def upper_student(t, df):
    t, df = D(t), int(df)
    theta = arctan(t / D(df).sqrt())
    cos = 1 / (1 + t * t / df).sqrt()
    sin = t / D(df).sqrt() * cos
    if df % 2 == 1:
        within = theta
        term = sin * cos
        for k in range(3, df + 1, 2):
            within += term
            term = term * (k - 1) / k * cos * cos
        within = within * 2 / PI
    else:
        within, term = D(0), sin
        for k in range(2, df + 1, 2):
            within += term
            term = term * (k - 1) / k * cos * cos
    return (1 - within) / 2


def show(x):
    return f"{float(x):.17g}"


def main():
    print("what,a,b,value")
    for z in ["-8", "-3.5", "-1", "0", "0.1", "0.5", "1", "1.96", "2.5", "4", "5.5", "7", "8.5"]:
        print(f"normal_tail,{z},,{show(upper_normal(z))}")
    for p in ["1e-12", "1e-7", "0.0001", "0.01", "0.025", "0.2", "0.4", "0.5", "0.7", "0.95", "0.975", "0.9999"]:
        print(f"normal_quantile,{p},,{show(normal_quantile(p))}")
    for df in [1, 2, 3, 4, 9, 19, 30, 99, 499]:
        for t in ["0.3", "1", "2", "3.5", "6"]:
            print(f"student_tail,{t},{df},{show(upper_student(t, df))}")
    for n, k in [(5, 0), (10, 2), (20, 5), (100, 40), (999, 460), (1000, 470), (1001, 470), (5000, 2400), (100000, 49500)]:
        total = term = 1
        for i in range(k):
            term = term * (n - i) // (i + 1)
            total += term
        print(f"binomial,{n},{k},{show(D(total) / D(2) ** n)}")


if __name__ == "__main__":
    main()
