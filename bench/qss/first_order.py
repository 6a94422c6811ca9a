#!/usr/bin/env python3
"""The published quantized-state methods of first order beside each other, written from their definitions.

QSS1 (Kofman and Junco 2001): q = x where |x - q| has reached the quantum. LIQSS1 (Migoni, Bortolotto, Kofman and Cellier 2013): q is a quantum ahead of
x, or where the derivative vanishes in between; where x turns away from q, it may be two quanta from it. CQSS (Cellier, Kofman, Migoni and Bortolotto 2008): q is in the middle of where x goes. The quantum is the
tolerance times the amplitude, so no method has to guess it.

Two models with closed forms: an oscillation (x' = v, v' = -x), whose errors add up, and one with damping and an input (v' = 1 - x - v/2), whose errors
do not. For each: mean error of x over a grid, in parts of its range, and transitions.

usage: first_order.py            prints the tables of the book (docs/src/solvers/quantized-states.md)
"""
import math

PERIOD = 2 * math.pi


def derivative(model, i, q):
    if i == 0:
        return q[1]
    return -q[0] if model == "oscillation" else 1 - q[0] - 0.5 * q[1]


def slope(model, i):
    """Of a derivative by its own state."""
    return -0.5 if model == "damped" and i == 1 else 0.0


def exact(model, t):
    if model == "oscillation":
        return math.cos(t)
    w = math.sqrt(1 - 0.0625)
    return 1 - math.exp(-0.25 * t) * (math.cos(w * t) + 0.25 / w * math.sin(w * t))


def choose(method, model, i, x, q, quantum):
    """The new q of state i."""
    if method == "QSS1":
        return x[i]
    reach = quantum if method == "LIQSS1" else 0.5 * quantum

    def rate(value):
        return derivative(model, i, [value if k == i else q[k] for k in range(2)])

    if rate(x[i] + reach) >= 0 and rate(x[i] + reach) + rate(x[i] - reach) != 0:
        return x[i] + reach
    if rate(x[i] - reach) <= 0 and rate(x[i] + reach) + rate(x[i] - reach) != 0:
        return x[i] - reach
    a = slope(model, i)
    # The derivative vanishes in between (or does not depend on q and is zero).
    return x[i] - rate(x[i]) / a if a != 0 else x[i]


def run(method, model, tolerance, stop, points):
    x = [1.0, 0.0] if model == "oscillation" else [0.0, 0.0]
    quantum, t, steps, error, k = tolerance, 0.0, 0, 0.0, 0
    q = [choose(method, model, 0, x, x, quantum), x[1]]
    q[1] = choose(method, model, 1, x, q, quantum)
    while True:
        rates = [derivative(model, i, q) for i in range(2)]
        # x leaves the band about q that the method allows, or meets the q that it runs to.
        times = []
        for i in range(2):
            d, r = q[i] - x[i], rates[i]
            if r == 0:
                times.append(math.inf)
            elif method == "QSS1":
                times.append((quantum + math.copysign(1, r) * d) / abs(r))
            elif method == "LIQSS1":
                ahead = d * math.copysign(1, r)
                times.append((ahead if ahead > 0 else 2 * quantum + ahead) / abs(r))
            else:
                times.append((0.5 * quantum + math.copysign(1, r) * d) / abs(r))
        i = 0 if times[0] <= times[1] else 1
        h = max(times[i], 0.0)
        while k <= points and k * stop / points <= min(t + h, stop):
            s = k * stop / points
            error += abs(x[0] + (s - t) * rates[0] - exact(model, s))
            k += 1
        if t + h > stop or k > points:
            break
        x = [x[j] + h * rates[j] for j in range(2)]
        t += h
        q[i] = choose(method, model, i, x, q, quantum)
        steps += 1
    values = [exact(model, k * stop / 5000) for k in range(5001)]
    return error / (points + 1) / (max(values) - min(values)), steps


def table(model, rows):
    print("| method | tolerance | " + " | ".join(f"{n} periods" for n in rows) + " |\n|---|---|" + "---|" * len(rows))
    for method in ["QSS1", "LIQSS1", "CQSS"]:
        for tolerance in [1e-2, 1e-3]:
            cells = []
            for n in rows:
                error, steps = run(method, model, tolerance, n * PERIOD, 4000)
                cells.append(f"{error:.1e} ({steps:,})")
            print(f"| {method} | {tolerance:.0e} | ".replace("e-0", "e-") + " | ".join(c.replace("e-0", "e-").replace("e+00", "e+0") for c in cells) + " |", flush=True)


if __name__ == "__main__":
    print("An oscillation: error (transitions)\n")
    table("oscillation", [5, 50])
    print("\nThe same with damping and an input:\n")
    table("damped", [5, 50])
