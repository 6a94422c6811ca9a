"""Results in other libraries' hands."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import ferrica

pd = __import__("pandas")
pl = __import__("polars")
pa = __import__("pyarrow")


@pytest.fixture(scope="module")
def run() -> ferrica.Result:
    text = 'model M Real x(unit = "m") = time; Real y = -x; parameter Real p = 2; end M;'
    return ferrica.loads(text).simulate(stop=1.0, points=10)


def test_pandas(run: ferrica.Result) -> None:
    frame = run.to_pandas()
    assert list(frame.columns) == ["x", "y", "p"] and frame.index.name == "time"
    assert np.array_equal(frame["y"], -run["x"])


def test_polars_reads_the_arrow_stream(run: ferrica.Result) -> None:
    frame = run.to_polars()
    assert frame.columns == ["time", "x", "y", "p"]
    assert np.array_equal(frame["x"].to_numpy(), run["x"])


def test_arrow_has_units_and_no_copies(run: ferrica.Result) -> None:
    table = pa.table(run)
    assert table.schema.field("x").metadata == {b"unit": b"m"}
    column = table["x"].chunk(0).to_numpy(zero_copy_only=True)
    assert np.shares_memory(column, run["x"])


def test_pictures_and_files(run: ferrica.Result, tmp_path: pathlib.Path) -> None:
    assert run.plot("x", "y").svg.startswith("<svg")
    assert "<table>" in run._repr_html_()
    run.write(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text().splitlines()[0].startswith("time")
    with pytest.raises(OSError):
        run.write(tmp_path / "nowhere" / "run.csv")
