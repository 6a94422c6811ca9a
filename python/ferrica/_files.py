"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from typing import Union

from ._errors import FileError, _diagnostic


def write_whole(path: Union[str, os.PathLike[str]], content: bytes) -> None:
    """A file that is there is replaced by a complete new one, or stays."""
    beside = f"{os.fspath(path)}.partial"
    try:
        with open(beside, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException as e:
        if os.path.exists(beside):
            os.remove(beside)
        if isinstance(e, OSError):
            why = f"{os.fspath(path)}: {e.strerror or e}"
            raise FileError((_diagnostic("E0701", why, None),)) from None
        raise
