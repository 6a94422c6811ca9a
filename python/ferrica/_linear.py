"""Linear models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Linear:
    """``x' = A x + B u, y = C x + D u`` for small deviations from a point."""

    __slots__ = ("time", "states", "inputs", "outputs", "x", "u", "y", "_matrices")

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

    def _dense(self, k: int) -> NDArray[np.float64]:
        import numpy as np

        rows, columns, i, j, values = self._matrices[k]
        matrix = np.zeros((rows, columns))
        matrix[i, j] = values
        return matrix

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

    def to_control(self) -> Any:
        """The same as a ``StateSpace`` of the package ``control``."""
        import control

        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def __reduce__(self) -> tuple[object, tuple[Any, ...]]:
        names = (self.states, self.inputs, self.outputs)
        return (Linear, ((self.time, names, (self.x, self.u, self.y), self._matrices),))

    def __repr__(self) -> str:
        counts = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<Linear at t = {self.time}: {counts}>"
