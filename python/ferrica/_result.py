"""Results: numpy views, tables, pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from . import _ferrica
from ._analyses import Spectrum
from ._errors import Diagnostic, _unknown, _usage
from ._plot import Plot, table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray


class Result:
    """Trajectories by name: ``r["C.v"]`` is a read-only view of the run's own memory."""

    __slots__ = ("_inner",)

    def __init__(self, inner: _ferrica.Run) -> None:
        self._inner = inner

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def time(self) -> NDArray[np.float64]:
        return self["time"]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        import numpy as np

        return np.asarray(self._inner.column(name))

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self._inner.names("*")

    def __len__(self) -> int:
        """The number of variables."""
        return len(self._inner.names("*"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._inner.names("*"))

    def _ipython_key_completions_(self) -> list[str]:
        return ["time", *self]

    def names(self, pattern: str = "*") -> list[str]:
        """The names that match a pattern with ``*`` and ``?``."""
        return self._inner.names(pattern)

    def unit(self, name: str) -> str:
        return self._inner.unit(name)

    def description(self, name: str) -> str:
        return self._inner.description(name)

    @overload
    def at(self, time: float) -> dict[str, float]: ...
    @overload
    def at(self, time: float, name: str) -> float: ...
    def at(self, time: float, name: Optional[str] = None) -> Union[float, dict[str, float]]:
        """Values at any time of the run, straight between rows; at an event those after it."""
        if name is not None:
            return self._inner.at(name, time)
        return {n: self._inner.at(n, time) for n in self.names()}

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the run."""
        return [Diagnostic(*d) for d in self._inner.diagnostics()]

    @property
    def terminated(self) -> Optional[str]:
        """The message of ``terminate``, if that ended the run."""
        return self._inner.terminated

    @property
    def stats(self) -> dict[str, Any]:
        """What the run cost."""
        import json

        found: dict[str, Any] = json.loads(self._inner.stats())
        return found

    def write(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes ``.csv``, ``.mat`` or ``.parquet``."""
        self._inner.write(os.fspath(path))

    def to_pandas(self, pattern: str = "*") -> pd.DataFrame:
        """A data frame over time."""
        import pandas as pd

        index = pd.Index(self.time, name="time")
        return pd.DataFrame({n: self[n] for n in self.names(pattern)}, index=index, copy=False)

    def to_polars(self) -> pl.DataFrame:
        """A data frame with a column ``time``."""
        import polars as pl

        return pl.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._inner.arrow_stream()

    def spectrum(self, name: str, fundamental: Optional[float] = None, window: str = "rectangular") -> Spectrum:
        """Frequencies in a variable; a fundamental in hertz cuts the run to its last whole number of periods."""
        windows = _ferrica.windows()
        if window not in windows:
            raise _unknown("window", window, windows)
        found = _ferrica.spectrum(self.time.tolist(), self[name].tolist(), window, fundamental)
        return Spectrum(*found, name)

    def plot(self, *names: str) -> Plot:
        """A picture of variables over time, one panel a unit."""
        if not names:
            raise _usage("E0730", "a plot needs names of variables", 'plot("C.v", "R*.i")')
        chosen = [n for pattern in names for n in (self.names(pattern) or [pattern])]
        return Plot(self._inner.svg(chosen), ", ".join(chosen))

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        return (_restore, (self._inner.to_bytes(),))

    def __repr__(self) -> str:
        return repr(self._inner)

    def _repr_html_(self) -> str:
        import html

        rows = []
        for name in self.names()[:40]:
            values = self[name]
            numbers = [f"{v:.6g}" for v in (values.min(), values.max(), values[-1])]
            rows.append([name, self.unit(name), *numbers, self.description(name)])
        more = len(self) - len(rows)
        foot = f"<p>… and {more} more</p>" if more > 0 else ""
        head = ["variable", "unit", "min", "max", "end", ""]
        return f"<p>{html.escape(repr(self))}</p>{table(head, rows)}{foot}"


def _restore(data: bytes) -> Result:
    return Result(_ferrica.Run.from_bytes(data))
