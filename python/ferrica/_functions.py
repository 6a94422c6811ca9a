"""Functions of time as straight lines, for inputs.

In: a function and the output points of a run. Out: times and values between which straight lines are within a hundred tolerances
of the function, whatever the output points; two values at one time where it jumps.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ._errors import _usage

#: Inside of a line the function is looked at here: at no fraction of it, so that no period of the function fits them all.
_LOOKS = (0.3819660112501051, 0.7236067977499789)
#: The lines may be so many tolerances away, in parts of the largest value. Each end of a line is an event of the run.
_NEAR = 100.0
#: A change within this part of the run's length is a jump.
_JUMP = 1e-12
#: A function that needs more points than this has no course that a run could follow.
_MOST_POINTS = 200_000


def straight_lines(
    name: str, function: Callable[[float], float], times: list[float], tol: float
) -> tuple[list[float], list[float]]:
    """Times and values; two values at one time are a jump."""
    values = [_value(name, function, t) for t in times]
    if len(times) < 2:
        return times, values
    resolution = _JUMP * max(abs(times[0]), abs(times[-1]), times[-1] - times[0])
    inside = (a + part * (b - a) for a, b in zip(times, times[1:]) for part in _LOOKS)
    scale = max(abs(v) for v in (*values, *(_value(name, function, t) for t in inside)))
    at, of = [times[0]], [values[0]]
    # The parts that are left to do, the first one on top.
    left = [(times[k], values[k], times[k + 1], values[k + 1]) for k in range(len(times) - 2, -1, -1)]
    while left:
        a, u, b, v = left.pop()
        if _is_straight(name, function, a, u, b, v, _NEAR * tol * scale):
            at.append(b)
            of.append(v)
        elif b - a <= resolution:
            at.extend((b, b))
            of.extend((u, v))
        else:
            middle = 0.5 * (a + b)
            w = _value(name, function, middle)
            scale = max(scale, abs(w))
            left.append((middle, w, b, v))
            left.append((a, u, middle, w))
        if len(at) + len(left) > _MOST_POINTS:
            text = f"the input `{name}` changes too often to be followed: {_MOST_POINTS} straight lines do not follow it"
            raise _usage("E0735", text, "values at times of your own: (t, u)")
    return at, of


def _is_straight(
    name: str, function: Callable[[float], float], a: float, u: float, b: float, v: float, allowed: float
) -> bool:
    for part in _LOOKS:
        t = a + part * (b - a)
        line = u + part * (v - u)
        if not abs(_value(name, function, t) - line) <= max(allowed, 1e-15 * max(abs(u), abs(v))):
            return False
    return True


def _value(name: str, function: Callable[[float], float], t: float) -> float:
    value = function(t)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise _usage("E0735", f"the input `{name}` is no number at time {t}: {value!r:.60}") from None
    if not math.isfinite(number):
        raise _usage("E0735", f"the input `{name}` is {number} at time {t}")
    return number
