"""Operating points, sensitivities, fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Union

from . import _ferrica
from ._errors import Diagnostic, _unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OperatingPoint(Mapping[str, float]):
    """Where a model rests: ``p["C.v"]``; ``p.params`` are the values with which it was found."""

    __slots__ = ("time", "states", "params", "method", "iterations", "_values")

    def __init__(
        self,
        time: float,
        states: dict[str, float],
        values: dict[str, float],
        method: str,
        iterations: int,
        params: dict[str, Union[float, int, bool, str]],
    ) -> None:
        self.time = time
        self.states = states
        self.params = params
        self.method = method
        self.iterations = iterations
        self._values = values

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            raise _unknown("variable", name, self._values) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<OperatingPoint at t = {self.time}: {self.states}>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._values)


class Influence(NamedTuple):
    """How much a variable depends on a parameter."""

    of: str
    to: str
    relative: float
    largest: float


class Sensitivities:
    """Derivatives of trajectories: ``s["C.v", "R.R"]``."""

    __slots__ = ("time", "of", "to", "ranking", "diagnostics", "_values", "_derivatives")

    def __init__(self, inner: _ferrica.Sensitivities) -> None:
        import numpy as np

        self.time: NDArray[np.float64] = np.asarray(inner.time())
        self.of: list[str] = inner.of()
        self.to: list[str] = inner.to()
        self.ranking: list[Influence] = [Influence(*r) for r in inner.ranking()]
        self.diagnostics: list[Diagnostic] = [Diagnostic(*d) for d in inner.diagnostics()]
        self._values = {name: np.asarray(inner.values(k)) for k, name in enumerate(self.of)}
        self._derivatives = {
            (of, to): np.asarray(inner.derivatives(i, j))
            for i, of in enumerate(self.of)
            for j, to in enumerate(self.to)
        }

    def value(self, of: str) -> NDArray[np.float64]:
        """The trajectory of a variable."""
        try:
            return self._values[of]
        except KeyError:
            raise _unknown("variable", of, self.of) from None

    def __getitem__(self, pair: tuple[str, str]) -> NDArray[np.float64]:
        try:
            return self._derivatives[pair]
        except KeyError:
            pairs = [f"{of}, {to}" for of, to in self._derivatives]
            asked = ", ".join(pair) if isinstance(pair, tuple) else pair
            raise _unknown("pair of a variable and a parameter", asked, pairs) from None

    def __repr__(self) -> str:
        return f"<Sensitivities of {', '.join(self.of)} to {', '.join(self.to)}: {len(self.time)} rows>"


class Estimate(NamedTuple):
    """A parameter that was found; the error is infinite where the data do not determine it."""

    name: str
    value: float
    error: float
    at_bound: bool


class Fit:
    """Parameters such that runs come nearest to measurements: ``f["R.R"]``, ``f.errors["R.R"]``."""

    __slots__ = ("estimates", "before", "after", "iterations", "correlation", "indistinct")

    def __init__(
        self,
        estimates: list[tuple[str, float, float, bool]],
        before: float,
        after: float,
        iterations: int,
        correlation: list[list[float]],
        indistinct: list[list[str]],
    ) -> None:
        self.estimates = [Estimate(*e) for e in estimates]
        self.before = before
        self.after = after
        self.iterations = iterations
        self.correlation = correlation
        self.indistinct = indistinct

    @property
    def values(self) -> dict[str, float]:
        """For ``params=``."""
        return {e.name: e.value for e in self.estimates}

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors."""
        return {e.name: e.error for e in self.estimates}

    def __getitem__(self, name: str) -> float:
        values = self.values
        if name not in values:
            raise _unknown("parameter", name, values)
        return values[name]

    def __repr__(self) -> str:
        parts = ", ".join(f"{e.name} = {e.value:.6g} ± {e.error:.2g}" for e in self.estimates)
        return f"<Fit: {parts}>"

    def _ipython_key_completions_(self) -> list[str]:
        return [e.name for e in self.estimates]


class Spectrum:
    """Amplitudes over frequency: ``s.frequency``, ``s.amplitude``, ``s.harmonics``, ``s.distortion``."""

    __slots__ = ("frequency", "amplitude", "fundamental", "harmonics", "distortion")

    def __init__(
        self,
        frequency: list[float],
        amplitude: list[float],
        fundamental: float,
        harmonics: list[float],
        distortion: float,
    ) -> None:
        import numpy as np

        self.frequency: NDArray[np.float64] = np.array(frequency)
        self.amplitude: NDArray[np.float64] = np.array(amplitude)
        self.fundamental = fundamental
        self.harmonics: NDArray[np.float64] = np.array(harmonics)
        self.distortion = distortion

    def __repr__(self) -> str:
        return f"<Spectrum: fundamental {self.fundamental:.6g} Hz, distortion {100 * self.distortion:.3g} %>"
