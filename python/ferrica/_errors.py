"""Exceptions with the code, the place and the hint of a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Optional


class Diagnostic(NamedTuple):
    """One message of the compiler or of a run."""

    is_error: bool
    code: str
    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    hint: Optional[str]
    text: str

    def __str__(self) -> str:
        return self.text.rstrip()


class FerricaError(Exception):
    """Base of all errors; the attributes are those of the first message."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    @property
    def _first(self) -> Optional[Diagnostic]:
        errors = [d for d in self.diagnostics if d.is_error]
        return errors[0] if errors else None

    @property
    def code(self) -> str:
        return self._first.code if self._first else ""

    @property
    def message(self) -> str:
        return self._first.message if self._first else ""

    @property
    def file(self) -> Optional[str]:
        return self._first.file if self._first else None

    @property
    def line(self) -> Optional[int]:
        return self._first.line if self._first else None

    @property
    def column(self) -> Optional[int]:
        return self._first.column if self._first else None

    @property
    def hint(self) -> Optional[str]:
        return self._first.hint if self._first else None

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics)


class ModelError(FerricaError):
    """The model has a mistake."""


class SimulationError(FerricaError):
    """The model is right but the run failed."""


class UsageError(FerricaError, ValueError):
    """What was asked for does not fit together."""


class UnknownNameError(FerricaError, KeyError):
    """There is nothing of that name; the hint names what is likely meant."""

    # KeyError would show the message in quotes.
    __str__ = FerricaError.__str__


class FileError(FerricaError, OSError):
    """A file cannot be read or written."""

    __str__ = FerricaError.__str__


_KINDS: dict[str, type[FerricaError]] = {
    "model": ModelError,
    "run": SimulationError,
    "usage": UsageError,
    "unknown": UnknownNameError,
    "io": FileError,
    "interrupted": SimulationError,
}


def _make(kind: str, messages: list[tuple[object, ...]]) -> FerricaError:
    """Called by the compiled module."""
    return _KINDS[kind](tuple(_in_python(Diagnostic(*m)) for m in messages))  # type: ignore[arg-type]


def _in_python(told: Diagnostic) -> Diagnostic:
    """The message with the names of arguments where it has those of the command line's flags."""
    import re

    def words(text: str) -> str:
        text = re.sub(r"(?<![\w-])-p (?=\S+=)", "", text)
        return re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", lambda m: m[1].replace("-", "_"), text)

    message, hint = words(told.message), None if told.hint is None else words(told.hint)
    text = told.text.replace(told.message, message)
    if told.hint and hint:
        text = text.replace(told.hint, hint)
    return told._replace(message=message, hint=hint, text=text)


def _usage(code: str, message: str, hint: Optional[str] = None) -> UsageError:
    """A mistake that is seen before a run begins."""
    return UsageError((_in_python(_diagnostic(code, message, hint)),))


def _unknown(what: str, name: object, names: Iterable[str]) -> UnknownNameError:
    """There is none of that name; the hint is the most similar one."""
    import difflib

    near = difflib.get_close_matches(str(name), list(names), n=1)
    hint = f"did you mean `{near[0]}`?" if near else None
    return UnknownNameError((_diagnostic("E0731", f"there is no {what} `{name}`", hint),))


def _diagnostic(code: str, message: str, hint: Optional[str]) -> Diagnostic:
    help_line = f"\n  help: {hint}" if hint else ""
    return Diagnostic(True, code, message, None, None, None, hint, f"error[{code}]: {message}{help_line}")
