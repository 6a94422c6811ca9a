"""Truth for Snubber.mo: in each mode of switch and diodes the circuit is linear, so that its states follow from eigenvalues; a mode ends where a diode turns (looked for on a
geometric and an even grid of times, then by bisection)."""

import numpy as np

V, LM, LK, N, KNEE = 48.0, 2e-4, 4e-6, 4.0, 0.5
R_ON, G_OFF, CS, RS, C, R = 1e-2, 1e-5, 1e-8, 5e3, 1e-4, 5.0
PERIOD, ON = 2e-5, 0.35


def mode(closed, d, ds):
    """x' of x = (currents of both inductances, voltages of both capacitors, 1), and the rows that give what the diodes are switched by."""
    i_m, i_k, v_s, v_c, one = np.eye(5)
    i_d = N * (i_m - i_k)
    s_d = i_d - G_OFF * KNEE * one if d else i_d / G_OFF - KNEE * one
    v_1 = N * (s_d * (R_ON if d else 1.0) + KNEE * one + v_c)
    g = 1 / R_ON if ds else G_OFF
    v_b = (i_k + g * (v_s + (V + KNEE) * one) - G_OFF * KNEE * one) / ((1 / R_ON if closed else G_OFF) + g)
    over = v_b - v_s - (V + KNEE) * one
    i_ds = g * over + G_OFF * KNEE * one
    f = np.zeros((5, 5))
    f[0], f[1], f[2], f[3] = -v_1 / LM, (V * one - v_b + v_1) / LK, (i_ds - v_s / RS) / CS, (i_d - v_c / R) / C
    return f, s_d, over / (R_ON if ds else 1.0)


def voltages(rows):
    x, time, d, ds, found = np.array([0, 0, 0, 0, 1.0]), 0.0, False, False, []
    edges = sorted([(k + part) * PERIOD for k in range(int(rows[-1] / PERIOD) + 1) for part in (0.0, ON)] + list(rows))
    for until in edges[1:]:
        closed = ((time + until) / 2 / PERIOD) % 1 < ON
        left = until - time
        while True:
            f, row_d, row_s = mode(closed, d, ds)
            w, u = np.linalg.eig(f)
            c = np.linalg.solve(u, x.astype(complex))
            at = lambda tau: (u @ (c * np.exp(w * tau))).real
            turned = lambda y, row, on: (row @ y > 0) != on and abs(row @ y) > 1e-12
            grid = np.unique(np.concatenate([[0.0], np.geomspace(1e-16, left, 4000), np.linspace(0, left, 4001)]))
            hit = next((k for k, tau in enumerate(grid) if turned(at(tau), row_d, d) or turned(at(tau), row_s, ds)), None)
            if hit is None:
                x = at(left)
                break
            low, high = grid[max(hit - 1, 0)], grid[hit]
            for _ in range(100):
                middle = (low + high) / 2
                y = at(middle)
                if turned(y, row_d, d) or turned(y, row_s, ds):
                    high = middle
                else:
                    low = middle
            x, left = at(high), left - high
            if turned(x, row_d, d):
                d = not d
            else:
                ds = not ds
        x[4], time = 1.0, until
        if until in rows:
            found.append(x[2])
    return found


if __name__ == "__main__":
    for v in voltages([k * 1.03e-4 for k in range(1, 9)]):
        print(f"{v:.9f}")
