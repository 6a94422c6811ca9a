"""Operating points, sensitivities, fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _ferrica
from ._errors import Diagnostic, _unknown
from ._plot import Plot, table

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
    """Derivatives of trajectories: ``s["C.v", "R.R"]`` is a read-only view of their memory."""

    __slots__ = ("_inner", "of", "to", "at")

    def __init__(self, inner: Union[_ferrica.Sensitivities, _Kept]) -> None:
        self._inner = inner
        self.of: list[str] = inner.of()
        self.to: list[str] = inner.to()
        self.at: list[float] = inner.at()
        """The values of what is varied."""

    @property
    def time(self) -> NDArray[np.float64]:
        return _array(self._inner.time())

    @property
    def ranking(self) -> list[Influence]:
        """All pairs, those with the largest influence first."""
        return [Influence(*r) for r in self._inner.ranking()]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What should be known of them."""
        return [Diagnostic(*d) for d in self._inner.diagnostics()]

    def value(self, of: str) -> NDArray[np.float64]:
        """The trajectory of a variable."""
        if of not in self.of:
            raise _unknown("variable", of, self.of)
        return _array(self._inner.values(self.of.index(of)))

    def __getitem__(self, pair: tuple[str, str]) -> NDArray[np.float64]:
        known = isinstance(pair, tuple) and len(pair) == 2 and pair[0] in self.of and pair[1] in self.to
        if not known:
            pairs = [f"{of}, {to}" for of in self.of for to in self.to]
            asked = ", ".join(map(str, pair)) if isinstance(pair, tuple) else str(pair)
            raise _unknown("pair of a variable and a parameter", asked, pairs)
        return _array(self._inner.derivatives(self.of.index(pair[0]), self.to.index(pair[1])))

    def plot(self) -> Plot:
        """How each variable moves where each parameter moves by all of its value."""
        lists = [[self[of, to].tolist() for to in self.to] for of in self.of]
        return Plot(_ferrica.draw_sensitivities((self.time.tolist(), self.of, self.to, self.at, lists)), repr(self))

    def _repr_html_(self) -> str:
        rows = [[i.of, i.to, f"{i.relative:.4g}", f"{i.largest:.4g}"] for i in self.ranking]
        return table(["variable", "parameter", "influence", "largest derivative"], rows) + self.plot().svg

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (Sensitivities, (_Kept(self),))

    def __repr__(self) -> str:
        return f"<Sensitivities of {', '.join(self.of)} to {', '.join(self.to)}: {len(self.time)} rows>"


class _Kept:
    """What sensitivities are made of where they have travelled."""

    def __init__(self, s: Sensitivities) -> None:
        self._names = (s.of, s.to, s.at)
        self._time = s.time
        self._values = [s.value(of) for of in s.of]
        self._derivatives = [[s[of, to] for to in s.to] for of in s.of]
        self._told = ([tuple(i) for i in s.ranking], [tuple(d) for d in s.diagnostics])

    def of(self) -> list[str]:
        return self._names[0]

    def to(self) -> list[str]:
        return self._names[1]

    def at(self) -> list[float]:
        return self._names[2]

    def time(self) -> NDArray[np.float64]:
        return self._time

    def values(self, of: int) -> NDArray[np.float64]:
        return self._values[of]

    def derivatives(self, of: int, to: int) -> NDArray[np.float64]:
        return self._derivatives[of][to]

    def ranking(self) -> list[Any]:
        return self._told[0]

    def diagnostics(self) -> list[Any]:
        return self._told[1]


def _array(values: Any) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(values)


class Estimate(NamedTuple):
    """A parameter that was found; the error is infinite where the data do not determine it."""

    name: str
    value: float
    error: float
    at_bound: bool


class Fit:
    """Parameters such that runs come nearest to measurements: ``f["R.R"]``, ``f.errors["R.R"]``."""

    __slots__ = ("estimates", "before", "after", "iterations", "converged", "correlation", "indistinct", "_svgs")

    def __init__(
        self,
        estimates: list[tuple[str, float, float, bool]],
        before: float,
        after: float,
        iterations: int,
        converged: bool,
        correlation: list[list[float]],
        indistinct: list[list[str]],
        svgs: list[str],
    ) -> None:
        self._svgs = svgs
        self.estimates = [Estimate(*e) for e in estimates]
        self.before = before
        self.after = after
        self.iterations = iterations
        self.converged = converged
        """Otherwise the search was given up, and other values may fit better."""
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

    def plot(self, experiment: int = 0) -> Plot:
        """Measurements, and runs before and after, of one of the experiments."""
        return Plot(self._svgs[experiment], repr(self))

    def _repr_html_(self) -> str:
        rows = [[e.name, f"{e.value:.6g}", f"{e.error:.2g}", "at its bound" if e.at_bound else ""] for e in self.estimates]
        given_up = "" if self.converged else f": given up after {self.iterations} iterations, other values may fit better"
        told = f"<p>deviation {self.before:.3g} before, {self.after:.3g} after{given_up}</p>"
        return table(["parameter", "value", "standard error", ""], rows) + told + "".join(self._svgs)

    def __repr__(self) -> str:
        parts = ", ".join(f"{e.name} = {e.value:.6g} ± {e.error:.2g}" for e in self.estimates)
        return f"<Fit: {parts}{'' if self.converged else ', not converged'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return [e.name for e in self.estimates]


class Spectrum:
    """Amplitudes over frequency: ``s.frequency``, ``s.amplitude``, ``s.harmonics``, ``s.distortion``."""

    __slots__ = ("frequency", "amplitude", "fundamental", "harmonics", "distortion", "_name")

    def __init__(
        self,
        frequency: list[float],
        amplitude: list[float],
        fundamental: float,
        harmonics: list[float],
        distortion: float,
        name: str,
    ) -> None:
        import numpy as np

        self._name = name

        self.frequency: NDArray[np.float64] = np.array(frequency)
        self.amplitude: NDArray[np.float64] = np.array(amplitude)
        self.fundamental = fundamental
        self.harmonics: NDArray[np.float64] = np.array(harmonics)
        self.distortion = distortion

    def plot(self) -> Plot:
        """Amplitudes over frequency."""
        svg = _ferrica.draw_spectrum(self._name, self.frequency.tolist(), self.amplitude.tolist())
        return Plot(svg, repr(self))

    def _repr_svg_(self) -> str:
        return self.plot().svg

    def __repr__(self) -> str:
        return f"<Spectrum: fundamental {self.fundamental:.6g} Hz, distortion {100 * self.distortion:.3g} %>"
