"""Connectors and icons in the archive, against the schema of FMI 3.0 and the model's text."""

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import fmpy
from lxml import etree

FILE = "terminalsAndIcons/terminalsAndIcons.xml"
PNG = b"\x89PNG\r\n\x1a\n"


def read(path, name):
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def test_terminals_follow_the_schema_and_the_model(export):
    path = export("Rod")
    text = read(path, FILE)
    schema = Path(fmpy.__file__).parent / "schema/fmi3/fmi3TerminalsAndIcons.xsd"
    etree.XMLSchema(etree.parse(str(schema))).assertValid(etree.fromstring(text))
    root = ElementTree.fromstring(text)
    names = {v.name for v in fmpy.read_model_description(path).modelVariables}
    terminals = {t.get("name"): t for t in root.find("Terminals")}
    # A signal that is one number is an input or output as it is.
    assert set(terminals) == {"left", "bus"}
    left = terminals["left"]
    assert left.get("terminalKind") == "Rod.Flange" and left.get("description") == "Driven end"
    members = {m.get("memberName"): m for m in left.findall("TerminalMemberVariable")}
    assert members["f"].get("variableKind") == "inflow" and members["s"].get("variableKind") == "signal"
    inner = terminals["bus"].find("Terminal")
    assert inner.get("name") == "inner_flange"
    assert {m.get("memberName") for m in inner.findall("TerminalMemberVariable")} == {"s", "f"}
    assert all(m.get("variableName") in names for m in root.iter("TerminalMemberVariable"))


def test_icons(export):
    for_all = export("Rod")
    assert read(for_all, "terminalsAndIcons/icon.png").startswith(PNG)
    assert b"<svg" in read(for_all, "terminalsAndIcons/icon.svg")
    assert read(export("Rod", "--fmi", "2"), "model.png").startswith(PNG)


def test_a_black_box_does_not_tell_classes(export):
    path = export("Rod", "--black-box")
    text = read(path, FILE)
    assert b"Flange" not in text and b"hidden" not in text and b"Driven" not in text
    assert read(path, "terminalsAndIcons/icon.png").startswith(PNG)
    with zipfile.ZipFile(path) as archive:
        assert "terminalsAndIcons/icon.svg" not in archive.namelist()
