"""Models: load, ask, change, run."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Optional, Union, overload

from . import _ferrica
from ._analyses import Fit, OperatingPoint, Sensitivities
from ._errors import Diagnostic, FerricaError, _unknown, _usage
from ._files import write_whole
from ._functions import straight_lines
from ._linear import Linear
from ._plot import Plot
from ._result import Result
from ._stepper import Stepper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = Union[Sequence[float], NDArray[np.float64]]
    Course = Literal["linear", "hold"]
    Signal = Union[float, tuple[Floats, Floats], tuple[Floats, Floats, Course], Callable[[float], float]]

Value = Union[float, int, bool, str]


class Variable(NamedTuple):
    """A variable of a model; parameters have a value."""

    name: str
    unit: str
    description: str
    role: str
    is_output: bool
    value: Union[float, str, None]


#: So many intervals has a run to a time that is no output point, where a function of time is looked at.
_LOOKS = 500


def load(
    file: Union[str, os.PathLike[str], None] = None,
    model: Optional[str] = None,
    lib: Iterable[Union[str, os.PathLike[str]]] = (),
    params: Mapping[str, Value] = {},
    *,
    allow_external: bool = False,
) -> Model:
    """Compiles the model in a file, or the model of a library by its name."""
    path = None if file is None else os.fspath(file)
    return Model(_ferrica.Model(path, None, model, _folders(lib), dict(params), allow_external))


def loads(
    text: str,
    model: Optional[str] = None,
    lib: Iterable[Union[str, os.PathLike[str]]] = (),
    params: Mapping[str, Value] = {},
    *,
    allow_external: bool = False,
) -> Model:
    """Compiles the model in a text."""
    return Model(_ferrica.Model(None, text, model, _folders(lib), dict(params), allow_external))


def draw(params: Mapping[str, Any], *, samples: int = 100, seed: int = 1) -> list[dict[str, Value]]:
    """Parameters of the runs of a study, for :meth:`Model.batch`.

    A text such as ``"normal(100, 5)"``, ``"uniform(0, 1)"`` or ``"1:0.5:3"`` is a distribution or a range as in
    ``ferrica sweep``; a list is all its values, anything else one value. What is drawn goes on together from run to run (a
    Latin hypercube of ``samples`` members), everything else is combined. The same seed draws the same values.
    """
    if samples < 1:
        raise _usage("E0730", f"samples={samples}: at least one value is needed")

    def written(value: Any) -> str:
        if isinstance(value, str):
            return value
        return ",".join(_literal(v) for v in value) if hasattr(value, "__len__") else _literal(value)

    drawn = _ferrica.draw([(name, written(value)) for name, value in params.items()], samples, seed)
    return [{name: _value(text) for name, text in run} for run in drawn]


def bands(results: Iterable[Union[Result, FerricaError]], vars: Union[str, Iterable[str]]) -> Plot:
    """Bands between quantiles of variables over the runs of a batch: the median, half of all runs, nine tenths of them.

    The exceptions of failed runs, which ``errors="keep"`` leaves in a batch, are passed over.
    """
    names = _names(vars)
    runs = [r._inner for r in results if not isinstance(r, FerricaError)]
    return Plot(_ferrica.bands(runs, names), f"bands of {', '.join(names)}")


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(float(value))


def _value(text: str) -> Value:
    """A number or a truth value where the text is one."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _folders(lib: Iterable[Union[str, os.PathLike[str]]]) -> list[str]:
    """One folder, or several."""
    return [os.fspath(f) for f in ([lib] if isinstance(lib, (str, os.PathLike)) else lib)]


class Model:
    """A compiled model with values for its parameters. Never changes; :meth:`set` makes another one."""

    __slots__ = ("_inner",)

    def __init__(self, inner: _ferrica.Model) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def variables(self) -> list[Variable]:
        return [Variable(*v) for v in self._inner.variables()]

    @property
    def parameters(self) -> dict[str, Union[float, str]]:
        """The parameters with their values."""
        known = [Variable(*v) for v in self._inner.parameters()]
        return {v.name: v.value for v in known if v.value is not None}

    @property
    def states(self) -> list[str]:
        """What the solver integrates."""
        return self._inner.states()

    @property
    def inputs(self) -> list[str]:
        return self._inner.inputs()

    @property
    def outputs(self) -> list[str]:
        return [v.name for v in self.variables if v.is_output]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Warnings of the compiler."""
        return [Diagnostic(*d) for d in self._inner.diagnostics()]

    def flat(self) -> str:
        """The flat model as text."""
        return self._inner.flat()

    def bond_graph(self) -> Plot:
        """The bond graph with its causal strokes; ``.text`` says what it means."""
        svg, _, report = self._inner.bond_graph()
        return Plot(svg, report)

    def diagram(self) -> Plot:
        """The diagram: components and connections; a notebook shows it."""
        return Plot(self._inner.diagram(), f"diagram of {self.name}")

    def to_fmu(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        version: int = 3,
        kind: str = "both",
        black_box: bool = False,
        vars: Iterable[str] = (),
        solver: Optional[str] = None,
        start: Optional[float] = None,
        stop: Optional[float] = None,
        tol: Optional[float] = None,
        interval: Optional[float] = None,
        step: Optional[float] = None,
    ) -> None:
        """Writes an FMU of FMI 2 or 3 with the values that the model has: ``kind`` is "me", "cs" or "both".

        A black box shows inputs, outputs, parameters and ``vars`` only.
        """
        if version not in (2, 3):
            raise _usage("E0744", f"version={version!r}: there is no such version", "FMI 2.0 (2) and 3.0 (3) are known")
        if kind not in ("me", "cs", "both"):
            raise _usage("E0730", f"kind={kind!r}: 'me', 'cs' or 'both'")
        plan = _plan(start, stop, tol, interval, None, solver, step, (), True)
        shown = _names(vars)
        known = {v.name for v in self.variables} if shown else set()
        for name in shown:
            if name not in known:
                raise _unknown("variable", name, known)
        archive = self._inner.fmu(plan, version, kind, black_box, shown)
        write_whole(path, archive)

    def set(self, params: Mapping[str, Value] = {}, **more: Value) -> Model:
        """The model with other values; not compiled again unless a value shapes the model."""
        return Model(self._inner.set({**params, **more}))

    def simulate(
        self,
        stop: Optional[float] = None,
        *,
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        inputs: Mapping[str, Signal] = {},
        solver: Optional[str] = None,
        tol: Optional[float] = None,
        step: Optional[float] = None,
        interval: Optional[float] = None,
        points: Optional[int] = None,
        vars: Iterable[str] = (),
        event_rows: bool = True,
    ) -> Result:
        """Runs the model. What is not said comes from its ``experiment`` annotation."""
        inner = self._with(params, x0)
        plan = _plan(start, stop, tol, interval, points, solver, step, vars, event_rows)
        result = Result(inner.simulate(plan, _signals(inputs, inner, plan, tol)))
        _look_at_start(result, x0)
        return result

    def batch(
        self,
        params: Iterable[Mapping[str, Value]],
        *,
        threads: Optional[int] = None,
        progress: bool = False,
        errors: str = "raise",
        stop: Optional[float] = None,
        start: Optional[float] = None,
        x0: Mapping[str, float] = {},
        inputs: Mapping[str, Signal] = {},
        solver: Optional[str] = None,
        tol: Optional[float] = None,
        step: Optional[float] = None,
        interval: Optional[float] = None,
        points: Optional[int] = None,
        vars: Iterable[str] = (),
        event_rows: bool = True,
    ) -> list[Result]:
        """One run for each set of values, on all cores. With ``errors="keep"`` a failed run is its exception."""
        if errors not in ("raise", "keep"):
            raise _usage("E0730", f"errors={errors!r}: 'raise' or 'keep'")
        if threads is not None and threads < 1:
            raise _usage("E0730", f"threads={threads}: a batch needs at least one")
        plan = _plan(start, stop, tol, interval, points, solver, step, vars, event_rows)
        inner = self._with({}, x0)
        sets = [] if isinstance(params, Mapping) else list(params)
        if isinstance(params, Mapping) or not all(isinstance(p, Mapping) for p in sets):
            raise _usage("E0730", "a batch has one mapping a run", "a list of mappings: [{...}, {...}]")
        told = _tell if progress else None
        runs = inner.batch([dict(p) for p in sets], plan, _signals(inputs, inner, plan, tol), threads, told)
        out: list[Any] = []
        for run in runs:
            if isinstance(run, FerricaError):
                if errors == "raise":
                    raise run
                out.append(run)
            else:
                out.append(Result(run))
                _look_at_start(out[-1], x0)
        return out

    def steady_state(
        self,
        *,
        params: Mapping[str, Value] = {},
        inputs: Mapping[str, Signal] = {},
        free: Iterable[str] = (),
        start: Optional[float] = None,
        x0: Mapping[str, float] = {},
    ) -> OperatingPoint:
        """The point at which the model rests at its start time; states that are ``free`` need not rest."""
        inner = self._with(params, x0)
        plan = _plan(start, None, None, None, None, None, None, (), True)
        time, states, values, method, steps = inner.steady_state(plan, _signals(inputs, inner, plan), _names(free))
        return OperatingPoint(time, dict(states), dict(values), method, steps, dict(params))

    def sensitivities(
        self,
        to: Iterable[str],
        of: Iterable[str],
        stop: Optional[float] = None,
        *,
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        inputs: Mapping[str, Signal] = {},
        solver: Optional[str] = None,
        tol: Optional[float] = None,
        interval: Optional[float] = None,
        points: Optional[int] = None,
    ) -> Sensitivities:
        """Exact derivatives of variables with respect to parameters and start values, right across events."""
        inner = self._with(params, x0)
        plan = _plan(start, stop, tol, interval, points, solver, None, (), True)
        signals = _signals(inputs, inner, plan, tol)
        return Sensitivities(inner.sensitivities(_names(of), _names(to), plan, signals))

    def fit(
        self,
        data: Any,
        unknowns: Mapping[str, tuple[float, float]],
        *,
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        tol: Optional[float] = None,
        hold: bool = False,
    ) -> Fit:
        """Least squares on measurements: a mapping or data frame with a column ``time``, a :class:`Result`, or a list of them.

        Columns with the names of inputs drive these, along straight lines or, with ``hold``, staying until the next
        row; the others are compared, and of a result all real variables that move. ``unknowns`` have bounds.
        """
        inner = self._with(params, x0)
        plan = _plan(start, None, tol, None, None, None, None, (), True)
        sets = data if isinstance(data, (list, tuple)) else [data]
        if not isinstance(unknowns, Mapping):
            raise _usage("E0738", "what is looked for is a mapping of names to bounds", '{"R.R": (1, 100)}')
        ranges = [(name, *_bounds(name, bounds)) for name, bounds in unknowns.items()]
        runs = any(isinstance(d, Result) for d in sets)
        moving = {v.name for v in self.variables if v.role in ("state", "continuous", "input")} if runs else set()
        return Fit(*inner.fit([_measured(d, moving) for d in sets], ranges, plan, hold))

    @overload
    def linearize(
        self,
        at: Union[float, OperatingPoint, Literal["steady"], None] = None,
        *,
        inputs: Optional[Iterable[str]] = None,
        outputs: Optional[Iterable[str]] = None,
        values: Mapping[str, Signal] = {},
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        tol: Optional[float] = None,
    ) -> Linear: ...
    @overload
    def linearize(
        self,
        at: Sequence[float],
        *,
        inputs: Optional[Iterable[str]] = None,
        outputs: Optional[Iterable[str]] = None,
        values: Mapping[str, Signal] = {},
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        tol: Optional[float] = None,
    ) -> list[Linear]: ...
    def linearize(
        self,
        at: Union[float, OperatingPoint, Sequence[float], Literal["steady"], None] = None,
        *,
        inputs: Optional[Iterable[str]] = None,
        outputs: Optional[Iterable[str]] = None,
        values: Mapping[str, Signal] = {},
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        tol: Optional[float] = None,
    ) -> Union[Linear, list[Linear]]:
        """The linear model at a time of a run or at an operating point, at the start of a run if none is given; a list of them
        for several times. ``"steady"`` looks for the operating point.

        Between all top-level inputs and outputs if none are named; any variable can be an output. ``values`` are
        what the inputs do on the way, as in :meth:`simulate`. A point brings the values with which it was found: ``params`` and ``values`` stand before them.
        """
        if isinstance(at, str):
            if at != "steady":
                raise _usage("E0730", f"at={at!r}: a time, times, an operating point or 'steady'")
            at = self.steady_state(params=params, inputs=values, start=start, x0=x0)
        if isinstance(at, OperatingPoint):
            params = {**at.params, **params}
        inner = self._with(params, x0)
        names = (None if inputs is None else _names(inputs), None if outputs is None else _names(outputs))

        def points(times: Optional[list[float]]) -> list[Linear]:
            plan = _plan(start, None, tol, None, None, None, None, (), True)
            last = max(times, default=None) if times else None
            signals = _signals(values, inner, plan, tol, last)
            return [Linear(p) for p in inner.linearize(times, *names, plan, signals)]

        if isinstance(at, OperatingPoint):
            values = {**{u: at[u] for u in self.inputs}, **values}
            inner = self._with(params, {**at.states, **x0})
            start = at.time
            return points(None)[0]
        if at is None:
            return points(None)[0]
        if not isinstance(at, Iterable):
            return points([_time(at)])[0]
        return points([_time(t) for t in at])

    def stepper(
        self,
        dt: Optional[float] = None,
        *,
        start: Optional[float] = None,
        params: Mapping[str, Value] = {},
        x0: Mapping[str, float] = {},
        solver: Optional[str] = None,
        tol: Optional[float] = None,
        step: Optional[float] = None,
    ) -> Stepper:
        """A run that is led from outside: set inputs, step, look."""
        inner = self._with(params, x0)
        plan = _plan(start, None, tol, None, None, solver, step, (), True)
        begun = inner.stepper(plan)
        for name, value in x0.items():
            _hold(name, value, [begun.get(name)])
        return Stepper(begun, dt)

    def _with(self, params: Mapping[str, Value], x0: Mapping[str, float]) -> _ferrica.Model:
        values: dict[str, Value] = dict(params)
        # A start value of a parameter would be without effect.
        fixed = self.parameters if x0 else {}
        for name, value in x0.items():
            if name in fixed:
                raise _usage("E0730", f"`{name}` is a parameter and has no start value", f"params={{'{name}': …}}")
            values[f"{name}.start"] = value
        return self._inner.set(values) if values else self._inner

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return (_restore, self._inner.recipe())

    def __repr__(self) -> str:
        return repr(self._inner)


def _look_at_start(result: Result, x0: Mapping[str, float]) -> None:
    """Looks whether a run has begun where it was to begin."""
    for name, value in x0.items():
        try:
            values = result[name]
        except KeyError:
            continue  # not kept
        _hold(name, value, values[: int((result.time == result.time[0]).sum())].tolist())


def _hold(name: str, value: float, at_start: list[float]) -> None:
    """A start value that does not hold is no guess here."""
    if all(abs(v - value) > 1e-6 * max(1.0, abs(value)) for v in at_start):
        text = f"`{name}` begins at {at_start[0]:.7g}, not at {value:.7g}: other equations determine its start"
        raise _usage("E0732", text, f"params={{'{name}.start': …}} is a guess for them")


def _restore(*recipe: Any) -> Model:
    return Model(_ferrica.Model(*recipe))


def _plan(
    start: Optional[float],
    stop: Optional[float],
    tol: Optional[float],
    interval: Optional[float],
    points: Optional[int],
    solver: Optional[str],
    step: Optional[float],
    vars: Iterable[str],
    event_rows: bool,
) -> _ferrica.Plan:
    if points is not None and points < 1:
        raise _usage("E0730", f"points={points}: a run has at least one output interval")
    if points is not None and interval is not None:
        raise _usage("E0730", "interval and points exclude each other")
    return _ferrica.Plan(start, stop, tol, interval, points, solver, step, _names(vars), event_rows)


def _names(names: Iterable[str]) -> list[str]:
    """One name, or several."""
    return [names] if isinstance(names, str) else list(names)


def _bounds(name: str, bounds: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = bounds
        return float(low), float(high)
    except (TypeError, ValueError):
        raise _usage("E0738", f"the bounds of `{name}` are no pair of numbers: {bounds!r}", "(low, high)") from None


def _time(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _usage("E0730", f"at={value!r:.60}: a time, times, an operating point or 'steady'") from None


def _signals(
    inputs: Mapping[str, Signal],
    model: _ferrica.Model,
    plan: _ferrica.Plan,
    tol: Optional[float] = None,
    last: Optional[float] = None,
) -> list[tuple[str, list[float], list[float], bool]]:
    """Inputs as times, values, and whether a value stays until the next one; a number has one value and no times.

    Functions are asked at the output points, or at as many up to the ``last`` time.
    """
    out: list[tuple[str, list[float], list[float], bool]] = []
    for name, signal in inputs.items():
        if callable(signal):
            times = model.output_points(plan)
            if last is not None and math.isfinite(last) and last > times[0]:
                times = [times[0] + (last - times[0]) * k / _LOOKS for k in range(_LOOKS + 1)]
            out.append((name, *straight_lines(name, signal, times, 1e-6 if tol is None else tol), False))
        else:
            out.append((name, *_samples(name, signal)))
    return out


def _samples(name: str, signal: Any) -> tuple[list[float], list[float], bool]:
    """Times and values of a number, which has no times, or of a pair of sequences, with ``"hold"`` behind it or not."""
    try:
        if not hasattr(signal, "__len__") or getattr(signal, "shape", None) == ():
            return [], [float(signal)], False
        at, values, *course = signal
        if course not in ([], ["linear"], ["hold"]):
            raise ValueError
        return [float(t) for t in at], [float(u) for u in values], course == ["hold"]
    except (TypeError, ValueError):
        text = f"the input `{name}` is no number, pair of times and values, or function of time: {signal!r:.60}"
        raise _usage("E0735", text, '(t, u), (t, u, "hold") or a function') from None


def _measured(data: Any, moving: set[str]) -> tuple[list[float], list[tuple[str, list[float]]]]:
    """Times and columns of a mapping or a data frame; of a result, what is ``moving`` in it."""
    if isinstance(data, Result):
        data = {"time": data.time, **{name: data[name] for name in data if name in moving}}
    if not (hasattr(data, "columns") or hasattr(data, "keys")):
        raise _usage("E0738", f"data for a fit are a mapping or a data frame, not {type(data).__name__}")
    names = [str(n) for n in (data.columns if hasattr(data, "columns") else data.keys())]

    def column(name: str) -> list[float]:
        try:
            return [float(v) for v in data[name]]
        except (TypeError, ValueError):
            raise _usage("E0738", f"the column `{name}` has something that is no number") from None

    if "time" in names:
        times = column("time")
    elif getattr(getattr(data, "index", None), "name", None) == "time":
        times = [float(t) for t in data.index]
    else:
        raise _usage("E0738", "the data have no column `time`")
    return times, [(n, column(n)) for n in names if n != "time"]


def _tell(done: int, count: int) -> None:
    end = "\n" if done == count else ""
    print(f"\r{done}/{count}", end=end, file=sys.stderr, flush=True)
