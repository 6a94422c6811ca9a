"""Linear models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _ferrica
from ._errors import Diagnostic, _unknown, _usage
from ._plot import Plot, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Mode(NamedTuple):
    """A way in which a linear model moves by itself, and the parts of the states in it."""

    pole: complex
    states: dict[str, float]

    @property
    def frequency(self) -> float:
        """What it would have without damping, in hertz."""
        return abs(self.pole) / math.tau

    @property
    def damping(self) -> float:
        """One where it does not swing, zero where it swings for ever, negative where it grows."""
        return -self.pole.real / abs(self.pole) if self.pole else 1.0


class Linear:
    """``x' = A x + B u, y = C x + D u`` for small deviations from a point.

    What goes through delays is not in these matrices, and the diagnostics say so; the frequency response has it.
    """

    __slots__ = ("time", "states", "inputs", "outputs", "x", "u", "y", "modes", "diagnostics", "_parts", "_matrices", "_delays")

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.time: float = parts[0]
        self.states: list[str]
        self.inputs: list[str]
        self.outputs: list[str]
        self.states, self.inputs, self.outputs = parts[1]
        self.x: list[float]
        self.u: list[float]
        self.y: list[float]
        self.x, self.u, self.y = parts[2]
        self._matrices: tuple[tuple[int, int, list[int], list[int], list[float]], ...] = parts[3]
        self.modes: list[Mode] = [Mode(complex(re, im), dict(states)) for re, im, states in parts[4]]
        """Eigenvalues with the states that take part in each; none of more than 200 states."""
        self.diagnostics: list[Diagnostic] = [Diagnostic(*d) for d in parts[5]]
        """What the linear model leaves out."""
        self._delays: tuple[list[float], tuple[tuple[int, int, list[int], list[int], list[float]], ...]] = parts[6]
        self._parts = parts

    def _dense(self, k: int) -> NDArray[np.float64]:
        return _dense(self._matrices[k])

    @property
    def A(self) -> NDArray[np.float64]:
        return self._dense(0)

    @property
    def B(self) -> NDArray[np.float64]:
        return self._dense(1)

    @property
    def C(self) -> NDArray[np.float64]:
        return self._dense(2)

    @property
    def D(self) -> NDArray[np.float64]:
        return self._dense(3)

    @property
    def entries(self) -> dict[str, tuple[int, int, list[int], list[int], list[float]]]:
        """Rows, columns and the entries of each matrix that may differ from zero, for sparse ones."""
        return dict(zip("ABCD", self._matrices))

    @property
    def poles(self) -> NDArray[np.complex128]:
        """The eigenvalues of A."""
        import numpy as np

        return np.linalg.eigvals(self.A).astype(np.complex128)

    def response(self, frequencies: Union[float, NDArray[np.float64]], output: str = "", input: str = "") -> Any:
        """C (iω - A)⁻¹ B + D at frequencies in hertz, from one input to one output: complex numbers. Delays are exact.

        The names may be left out where there is only one.
        """
        import numpy as np

        i, j = _position("output", output, self.outputs), _position("input", input, self.inputs)
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequencies, dtype=float))
        times = np.asarray(self._delays[0])
        e, f, g, h, k = (_dense(m) for m in self._delays[1])
        a, b, c, d = self.A, self.B[:, j], self.C[i], self.D[i, j]
        n = len(self.states)
        whole = np.eye(n + len(times), dtype=complex)
        forced = np.concatenate([b, h[:, j] if len(times) else np.zeros(0)])

        # Unknowns are the states and what goes into the delays; what comes out of them is late.
        def at(w: complex) -> complex:
            late = np.exp(-w * times)
            matrix = whole.copy()
            matrix[:n, :n] = w * np.eye(n) - a
            out = c.astype(complex)
            if len(times):
                matrix[:n, n:] = -e * late
                matrix[n:, :n] = -g
                matrix[n:, n:] -= k * late
                out = np.concatenate([out, f[i] * late])
            return complex(out @ np.linalg.solve(matrix, forced) + d)

        values = np.array([at(w) for w in s], dtype=complex)
        return values if np.ndim(frequencies) else values[0]

    def _given(self) -> Any:
        return self.time, (self.states, self.inputs, self.outputs), self._matrices, self._delays

    def zeros(self, output: str = "", input: str = "") -> NDArray[np.complex128]:
        """The zeros from one input to one output. The names may be left out where there is only one."""
        import numpy as np

        i, j = _position("output", output, self.outputs), _position("input", input, self.inputs)
        found = _ferrica.zeros(self._given(), i, j)
        if found is None:
            raise _usage("E0730", f"`{self.outputs[i]}` does not depend on `{self.inputs[j]}`: there are no zeros between them")
        return np.array([complex(*z) for z in found], dtype=np.complex128)

    def bode(self) -> Plot:
        """Amplitude and phase over frequency, from each input to each output."""
        svg = _ferrica.bode([self._given()])
        if svg is None:
            raise _usage("E0730", "a frequency response needs an input and an output", "linearize(inputs=…, outputs=…)")
        return Plot(svg, "frequency response")

    def pole_zero(self) -> Plot:
        """The eigenvalues, and the zeros from each input to each output."""
        return Plot(_ferrica.poles_and_zeros([self._given()]), "poles and zeros")

    def _repr_html_(self) -> str:
        def row(m: Mode) -> list[str]:
            states = ", ".join(f"{name} {100 * part:.0f} %" for name, part in list(m.states.items())[:4])
            return [f"{m.pole:.5g}", f"{m.frequency:.5g}", f"{m.damping:.4g}", states]

        svg = _ferrica.bode([self._given()]) if self.inputs and self.outputs else _ferrica.poles_and_zeros([self._given()])
        return table(["pole", "frequency [Hz]", "damping", "states"], map(row, self.modes)) + (svg or "")

    def to_control(self) -> Any:
        """The same as a ``StateSpace`` of the package ``control``."""
        import control

        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        return (Linear, (self._parts,))

    def __repr__(self) -> str:
        lists = {"state": self.states, "input": self.inputs, "output": self.outputs}
        counts = ", ".join(f"{len(names)} {what}{'' if len(names) == 1 else 's'}" for what, names in lists.items())
        return f"<Linear at t = {self.time}: {counts}>"


def _dense(entries: tuple[int, int, list[int], list[int], list[float]]) -> NDArray[np.float64]:
    import numpy as np

    rows, columns, i, j, values = entries
    matrix = np.zeros((rows, columns))
    matrix[i, j] = values
    return matrix


def _position(what: str, name: str, names: list[str]) -> int:
    if name in names:
        return names.index(name)
    if not name and len(names) == 1:
        return 0
    raise _unknown(what, name, names)
