"""Runs that are led step by step."""

from __future__ import annotations

from typing import Optional

from . import _ferrica
from ._errors import _usage


class Stepper:
    """``st["u"] = 1.0; st.step(); st["y"]``"""

    __slots__ = ("_inner", "_dt", "_steps", "_begin")

    def __init__(self, inner: _ferrica.Stepper, dt: Optional[float]) -> None:
        if dt is not None and not 0 < dt < float("inf"):
            raise _usage("E0732", f"dt={dt} is not a positive step")
        self._inner = inner
        self._dt = dt
        self._steps = 0
        self._begin = inner.time

    @property
    def time(self) -> float:
        return self._inner.time

    @property
    def inputs(self) -> list[str]:
        return self._inner.inputs()

    def __getitem__(self, name: str) -> float:
        return self._inner.get(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._inner.set(name, float(value))

    def step(self) -> float:
        """Goes on by ``dt``; the time reached."""
        if self._dt is None:
            raise _usage("E0730", "stepper(dt=…) says how long a step is; step_to(t) goes anywhere")
        # No sum of rounding: the n-th step ends at n·dt.
        self.step_to(self._begin + (self._steps + 1) * self._dt)
        return self.time

    def step_to(self, time: float) -> None:
        """Goes on to a later time."""
        self._inner.step_to(time)
        if self._dt is not None:
            self._steps = round((self.time - self._begin) / self._dt)

    def save(self) -> bytes:
        """The whole state."""
        return self._inner.save()

    def load(self, state: bytes) -> None:
        """Goes back to a state of a stepper of the same model."""
        self._inner.load(state)
        if self._dt is not None:
            self._steps = round((self.time - self._begin) / self._dt)

    def __repr__(self) -> str:
        return f"Stepper at t = {self.time}"
