"""Truth for ClassD.mo and Chopper.mo: SciPy from one switching to the next (tolerance 1e-12)."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def through(f, switchings, rows):
    """States at the rows; `f(middle)` gives the derivatives between two switchings."""
    x, found = np.zeros(2), {}
    for a, b in zip(switchings[:-1], switchings[1:]):
        here = [r for r in rows if a < r <= b]
        out = solve_ivp(f(0.5 * (a + b)), (a, b), x, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=sorted({*here, b}))
        for r in here:
            found[r] = out.y[:, list(out.t).index(r)]
        x = out.y[:, -1]
    return [found[r] for r in rows]


def class_d(rows):
    def above(t):
        return 0.8 * np.sin(2 * 3.14159265358979 * 2000 * t) - (4 * abs((100e3 * t) % 1 - 0.5) - 1)

    def between(middle):
        v = 30 if above(middle) > 0 else -30
        return lambda t, x: [(v - 0.05 * x[0] - x[1]) / 22e-6, (x[0] - x[1] / 8) / 0.47e-6]

    grid = np.linspace(0, rows[-1], 200_001) + 1e-13
    turns = [brentq(above, a, b, xtol=1e-18, rtol=1e-15) for a, b in zip(grid[:-1], grid[1:]) if above(a) * above(b) < 0]
    return [x[1] for x in through(between, [0.0, *turns, rows[-1]], rows)]


def chopper(rows):
    def voltage(i, on):
        for conducts in (False, True):
            switch, diode = 1 / (1e-3 if on else 1e5), 1 / (1e-3 if conducts else 1e5)
            u = (24 * switch - i) / (switch + diode)
            if (u < 0) == conducts:
                return u

    def between(middle):
        on = (3300 * middle) % 1 < 0.37
        return lambda t, x: [(voltage(x[0], on) - x[0] - 0.05 * x[1]) / 1e-3, (0.05 * x[0] - 1e-5 * x[1] - 0.01) / 1e-4]

    turns = sorted(t for n in range(66) for t in (n / 3300, (n + 0.37) / 3300) if 0 < t < rows[-1])
    return [x[0] for x in through(between, [0.0, *turns, rows[-1]], rows)]


print("ClassD", ["%.9f" % v for v in class_d([k * 1e-4 for k in range(1, 6)])])
print("Chopper", ["%.9f" % i for i in chopper([k * 4e-3 for k in range(1, 6)])])
