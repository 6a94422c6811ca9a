"""Truth for IdealBridge.mo and Flyback.mo, with diodes that block and conduct perfectly: each mode by its own differential equations, changed where a current or a
voltage passes zero (SciPy, tolerance 1e-11). The models' diodes have 1e-5 ohm and 1e-5 siemens, which shows in the fifth digit."""

import numpy as np
from scipy.integrate import solve_ivp


def advance(f, crossing, t, x, stop):
    """To `stop`, or to where `crossing` falls through zero."""
    crossing.terminal, crossing.direction = True, -1
    out = solve_ivp(f, (t, stop), x, method="DOP853", rtol=1e-11, atol=1e-11, events=crossing, max_step=2e-4)
    return out.t[-1], out.y[:, -1]


def bridge(times):
    """Current of the line and voltage of the capacitor."""
    source = lambda t: 24 * np.sin(2 * np.pi * 50 * t)
    load = lambda v: v / 20
    t, x, sign = 0.0, np.array([0.0, 0.0]), 0
    rows = []
    for until in times:
        while t < until:
            if sign == 0:
                blocked = lambda t, x: [0.0, -load(x[1]) / 1e-3]
                opens = lambda t, x: x[1] - abs(source(t))
                if opens(t, x) < 0 or (opens(t, x) == 0.0 and t == 0.0):
                    sign = 1 if source(t + 1e-9) > 0 else -1
                    continue
                t, x = advance(blocked, opens, t, x, until)
                if t < until:
                    sign = 1 if source(t) > 0 else -1
            else:
                s = sign
                conducts = lambda t, x: [(source(t) - 0.2 * x[0] - s * x[1]) / 2e-3, (s * x[0] - load(x[1])) / 1e-3]
                closes = lambda t, x: s * x[0] if t > began else 1.0
                began = t + 1e-7
                t, x = advance(conducts, closes, t, x, until)
                if t < until:
                    x[0], sign = 0.0, 0
        rows.append((until, *x))
    return rows


def flyback(times):
    """Current of the inductance and voltage of the capacitor."""
    t, x = 0.0, np.array([0.0, 0.0])
    rows = []
    closed = lambda t, x: [24 / 1e-3, -x[1] / 10 / 1e-4]
    freewheels = lambda t, x: [-2 * x[1] / 1e-3, (2 * x[0] - x[1] / 10) / 1e-4]
    blocked = lambda t, x: [0.0, -x[1] / 10 / 1e-4]
    never = lambda t, x: 1.0
    empty = lambda t, x: x[0]
    edges = sorted({k * 1e-4 for k in range(60)} | {k * 1e-4 + 4e-5 for k in range(60)})
    for until in times:
        while t < until - 1e-15:
            phase = (t / 1e-4 + 1e-9) % 1.0
            end = min(until, next(e for e in edges if e > t + 1e-12))
            if phase < 0.4 - 2e-9:
                t, x = advance(closed, never, t, x, end)
            elif x[0] > 0:
                t, x = advance(freewheels, empty, t, x, end)
                if t < end:
                    x[0] = 0.0
            else:
                t, x = advance(blocked, never, t, x, end)
        rows.append((until, *x))
    return rows


for name, rows in [("bridge", bridge([k * 2e-3 for k in range(1, 11)])), ("flyback", flyback([k * 5.3e-4 for k in range(1, 11)]))]:
    print(name)
    for t, i, v in rows:
        print(f"{t:.5g} {i:.9f} {v:.9f}")
