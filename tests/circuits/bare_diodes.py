"""Truth for circuits of bare Shockley diodes behind inductances: Bridge.mo, FullBridge.mo, HalfWave.mo.

No limits and no stiff solver: lines that conduct have the exact voltage of their diodes, others are open, and SciPy's DOP853 goes from switching to
switching. A line conducts from ON on and until OFF: between them its current follows the voltage within picoseconds.

    python bare_diodes.py        # prints time and capacitor voltage
"""

import numpy as np
from scipy.integrate import solve_ivp

ON, OFF = 1e-6, 1e-7


def march(rhs, events, switch, y, stop, interval):
    """Goes to `stop`; `events()` are functions of (t, y) that fall through zero, `switch(k, t, y)` acts on one of them."""
    t, rows = 0.0, {}
    points = [interval * k for k in range(1, round(stop / interval) + 1)]
    while t < stop - 1e-12:
        watched = events()
        for f in watched:
            f.terminal, f.direction = True, -1
        part = solve_ivp(rhs, (t, stop), y, method="DOP853", rtol=1e-10, atol=1e-13, max_step=1e-4, events=watched, dense_output=True)
        rows |= {p: part.sol(p) for p in points if t < p <= part.t[-1]}
        t, y = part.t[-1], part.y[:, -1].copy()
        for k, hits in enumerate(part.t_events):
            if len(hits):
                switch(k, t, y)
    return rows


def junction(vt, i_s):
    return lambda i: vt * np.log1p(max(i, 1e-8) / i_s)


def single(L, C, R, diodes, rectified):
    """One line with so many diodes in it, from 100 V at 50 Hz."""
    one = junction(0.026, 1e-12)
    sine = lambda t: 100 * np.sin(100 * np.pi * t)
    e = (lambda t: abs(sine(t))) if rectified else sine
    on = [False]

    def rhs(t, y):
        di = (e(t) - diodes * one(y[0]) - y[1]) / L if on[0] else 0.0
        return [di, (y[0] - y[1] / R) / C]

    def events():
        return [lambda t, y: y[0] - OFF] if on[0] else [lambda t, y: y[1] + diodes * one(ON) - e(t)]

    def switch(_, t, y):
        on[0] = not on[0]
        y[0] = ON if on[0] else 0.0

    return march(rhs, events, switch, np.zeros(2), 0.05, 0.01)


def bridge():
    """Three lines into six diodes: which side of the load each line is on, 1, -1 or neither."""
    L, C, R = 1e-3, 1e-3, 20.0
    drop = junction(0.04, 1e-9)
    phase = np.array([0, -2.0943951023931953, 2.0943951023931953])
    e = lambda t: 100 * np.sin(100 * np.pi * t + phase)
    side = [0, -1, 1]

    def potentials(t, y):
        lines = [k for k in range(3) if side[k]]
        below = lambda k: drop(y[k]) if side[k] > 0 else -y[3] - drop(-y[k])
        p = sum(e(t)[k] - below(k) for k in lines) / len(lines)
        return p, p - y[3], [p + below(k) if side[k] else 0.0 for k in range(3)]

    def rhs(t, y):
        d = np.zeros(4)
        if any(side):
            nodes = potentials(t, y)[2]
            d[:3] = [(e(t)[k] - nodes[k]) / L if side[k] else 0.0 for k in range(3)]
        d[3] = (sum(y[k] for k in range(3) if side[k] > 0) - y[3] / R) / C
        return d

    changes = []

    def events():
        watched = []
        changes.clear()
        for k in range(3):
            if side[k]:
                watched.append(lambda t, y, k=k: side[k] * y[k] - OFF)
                changes.append((k, 0))
            elif any(side):
                watched.append(lambda t, y, k=k: potentials(t, y)[0] + drop(ON) - e(t)[k])
                watched.append(lambda t, y, k=k: e(t)[k] - potentials(t, y)[1] + drop(ON))
                changes.extend([(k, 1), (k, -1)])
        if not any(side):
            watched.append(lambda t, y: y[3] + 2 * drop(ON) - (e(t).max() - e(t).min()))
            changes.append((None, 0))
        return watched

    def switch(number, t, y):
        k, to = changes[number]
        for line, s in [(k, to)] if k is not None else [(e(t).argmax(), 1), (e(t).argmin(), -1)]:
            side[line] = s
            y[line] = s * ON
        if sum(map(abs, side)) == 1:
            side[:] = [0, 0, 0]
            y[:3] = 0

    return march(rhs, events, switch, np.array([0, -ON, ON, 0]), 0.05, 0.005)


if __name__ == "__main__":
    for name, rows in [
        ("HalfWave", single(1e-3, 1e-3, 50.0, 1, False)),
        ("FullBridge", single(2e-3, 1e-3, 30.0, 2, True)),
        ("Bridge", bridge()),
    ]:
        for t, y in rows.items():
            print(f"{name} {t:.3f} {y[-1]:.9f}")
