"""A workspace with a package, a library that is only read, and a client of the real protocol."""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

FERRICA = os.environ.get("FERRICA", "ferrica")

PACKAGE = """package Plant "A small plant"
  constant Real level = 3 "How much";
  function mix "A weighted sum"
    input Real a "First";
    input Real b "Second";
    input Real weight = 0.5 "Of the first";
    output Real y;
  algorithm
    y := weight*a + (1 - weight)*b;
  end mix;
  annotation(Documentation(info="<html><p>See <a href=\\"modelica://Plant.Tank\\">the tank</a>.</p></html>"));
end Plant;
"""

TANK = """within Plant;
model Tank "Fills and empties"
  parameter Real area(unit="m2") = 2*base "Area of the ground";
  parameter Real base = 1.5;
  Modelica.Units.SI.Height h(start=1, fixed=true);
  Real v[n];
  parameter Integer n = 3;
  parameter Real rate(unit="m2/s") = 1;
equation
  area*der(h) = -rate*h;
  v = {mix(h, i) for i in 1:n};
end Tank;
"""

SYSTEM = """within Plant;
model System
  extends Tank(base=4);
  Tank other(area=5);
  Modelica.Electrical.Analog.Basic.Resistor R(R=100);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1e-3, v(start=1, fixed=true));
  Modelica.Electrical.Analog.Basic.Ground ground;
  Vendor.Part part(gain=2);
  Real total = mix(h, other.h) + level + part.y;
equation
  connect(R.p, C.p);
  connect(R.n, ground.p);
  connect(C.n, ground.p);
end System;
"""

VENDOR = """package Vendor
  model Part
    parameter Real gain = 1;
    Real y = gain*time;
  end Part;
end Vendor;
"""


class Workspace:
    def __init__(self, root: pathlib.Path):
        self.root = root
        self.folder = root / "workspace"
        self.library = root / "library"
        package = self.folder / "Plant"
        package.mkdir(parents=True)
        self.library.mkdir()
        for name, text in {
            "package.mo": PACKAGE,
            "package.order": "level\nmix\nTank\nSystem\n",
            "Tank.mo": TANK,
            "System.mo": SYSTEM,
        }.items():
            (package / name).write_text(text)
        (self.library / "Vendor.mo").write_text(VENDOR)

    def path(self, name: str) -> pathlib.Path:
        return self.folder / "Plant" / name

    def uri(self, name: str) -> str:
        return self.path(name).as_uri()


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    return Workspace(tmp_path)


class Editor:
    """Opens texts and asks about places in them, by the words that stand there."""

    def __init__(self, client: LanguageClient, workspace: Workspace):
        self.client, self.workspace = client, workspace
        self.texts: dict[str, str] = {}
        self.version = 0

    def open(self, name: str, text: str | None = None) -> str:
        uri = self.workspace.uri(name)
        self.version += 1
        self.texts[uri] = self.workspace.path(name).read_text() if text is None else text
        item = types.TextDocumentItem(uri=uri, language_id="modelica", version=self.version, text=self.texts[uri])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return uri

    def change(self, uri: str, old: str, new: str) -> None:
        """An incremental edit, as typing makes it."""
        text = self.texts[uri]
        start, end = self.place(uri, old), self.place(uri, old, len(old))
        self.texts[uri] = text.replace(old, new, 1)
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.version)
        edit = types.TextDocumentContentChangePartial(range=types.Range(start=start, end=end), text=new)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[edit])
        )

    def place(self, uri: str, word: str, skip: int = 0) -> types.Position:
        text = self.texts[uri]
        before = text[: text.index(word) + skip]
        line = before.count("\n")
        column = before[before.rfind("\n") + 1 :]
        return types.Position(line=line, character=len(column.encode("utf-16-le")) // 2)

    def at(self, kind, uri: str, word: str, skip: int = 0, **more):
        document = types.TextDocumentIdentifier(uri=uri)
        return kind(text_document=document, position=self.place(uri, word, skip), **more)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The messages about the present version once the checks are done."""
        while True:
            told = await self.client.wait_for_notification("textDocument/publishDiagnostics")
            if told.uri == uri and told.version == self.version:
                return list(told.diagnostics)

    def shown(self, range_: types.Range, uri: str) -> str:
        lines = self.texts[uri].split("\n")
        assert range_.start.line == range_.end.line
        return lines[range_.start.line][range_.start.character : range_.end.character]


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[FERRICA, "lsp"]))
async def client(lsp_client: LanguageClient, workspace: Workspace):
    @lsp_client.feature("client/registerCapability")
    def watched(params: types.RegistrationParams):
        lsp_client.watched = params.registrations

    folder = types.WorkspaceFolder(uri=workspace.folder.as_uri(), name="workspace")
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[folder],
            initialization_options={"libraries": [str(workspace.library)]},
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient, workspace: Workspace) -> Editor:
    return Editor(client, workspace)
