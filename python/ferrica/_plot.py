"""Pictures, and tables with them, as notebooks show them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Union

from ._files import write_whole


class Plot:
    """A picture; notebooks show it."""

    def __init__(self, svg: str, text: str = "") -> None:
        self.svg = svg
        self.text = text

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the picture as SVG."""
        write_whole(path, self.svg.encode())

    def __repr__(self) -> str:
        about = self.text.partition("\n")[0]
        return f"<Plot: {about}>" if about else "<Plot>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of HTML."""
    import html

    def cells(kind: str, texts: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(t)}</{kind}>" for t in texts) + "</tr>"

    return f"<table>{cells('th', head)}{''.join(cells('td', row) for row in rows)}</table>"
