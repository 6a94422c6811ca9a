"""Every feature of the server once, over the real protocol."""

import pytest
from lsprotocol import types

from conftest import SYSTEM, TANK


def applied(text: str, edits) -> str:
    lines = text.split("\n")

    def offset(p):
        return sum(len(l) + 1 for l in lines[: p.line]) + p.character

    for e in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        text = text[: offset(e.range.start)] + e.new_text + text[offset(e.range.end) :]
    return text


def document(kind, uri, **more):
    return kind(text_document=types.TextDocumentIdentifier(uri=uri), **more)


@pytest.mark.asyncio
async def test_diagnostics_have_codes_and_quick_fixes(editor):
    uri = editor.open("System.mo")
    assert await editor.diagnostics(uri) == []
    editor.change(uri, "Basic.Resistor", "Basic.Resistr")
    found = await editor.diagnostics(uri)
    assert [d.code for d in found] == ["E0202"]
    fixes = await editor.client.text_document_code_action_async(
        document(types.CodeActionParams, uri, range=found[0].range, context=types.CodeActionContext(diagnostics=found))
    )
    edits = fixes[0].edit.changes[uri]
    editor.texts[uri] = applied(editor.texts[uri], edits)
    assert editor.texts[uri] == SYSTEM


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "old, new, code, title, expected",
    [
        ("= 1.5;", "= 1.5", "E0109", "Add the missing `;`", "base = 1.5;"),
        ("= -rate*h;", "= -rate*h*fall;", "E0201", "Declare `Real fall;`", "Real fall;"),
    ],
)
async def test_quick_fixes(editor, old, new, code, title, expected):
    uri = editor.open("Tank.mo", TANK.replace(old, new, 1))
    found = [d for d in await editor.diagnostics(uri) if d.code == code]
    fixes = await editor.client.text_document_code_action_async(
        document(types.CodeActionParams, uri, range=found[0].range, context=types.CodeActionContext(diagnostics=found))
    )
    fix = next(f for f in fixes if f.title == title)
    assert expected in applied(editor.texts[uri], fix.edit.changes[uri])


@pytest.mark.asyncio
async def test_a_missing_ground_and_a_missing_inner_can_be_added(editor):
    text = """model Loose
  Modelica.Electrical.Analog.Basic.Resistor R(R=1);
  Modelica.Electrical.Analog.Basic.Capacitor C(C=1, v(start=1, fixed=true));
  Inside inside;
  model World parameter Real g = 9.81; end World;
  model Inside outer World world; Real x = world.g; end Inside;
equation
  connect(R.p, C.p);
  connect(R.n, C.n);
end Loose;
"""
    path = editor.workspace.folder / "Loose.mo"
    path.write_text(text)
    uri = editor.open("../Loose.mo")
    uri = next(u for u in editor.texts if u.endswith("Loose.mo"))
    found = await editor.diagnostics(uri)
    for d in found:
        fixes = await editor.client.text_document_code_action_async(
            document(types.CodeActionParams, uri, range=d.range, context=types.CodeActionContext(diagnostics=[d]))
        )
        for fix in fixes:
            if "ground" in fix.title or "inner" in fix.title:
                text = applied(text, fix.edit.changes[uri])
    assert "inner Loose.World world;" in text
    assert "Basic.Ground ground;" in text and "connect(ground.p," in text


@pytest.mark.asyncio
async def test_hover_tells_unit_value_and_origin(editor):
    uri = editor.open("System.mo")

    async def hover(word, skip=0):
        answer = await editor.client.text_document_hover_async(editor.at(types.HoverParams, uri, word, skip))
        return answer.contents.value

    inherited = await hover("level + part.y")
    assert "constant Real level = 3" in inherited and "How much" in inherited
    assert "gain" in await hover("gain=2")
    tank = editor.open("Tank.mo")
    area = (await editor.client.text_document_hover_async(editor.at(types.HoverParams, tank, "area*der"))).contents.value
    assert "Unit: `m2`" in area and "Value: `3 m2`" in area
    other = await hover("other.h", 1)
    assert "Fills and empties" in other or "Tank" in other
    documentation = await hover("Basic.Resistor", 8)
    assert "model Resistor" in documentation


@pytest.mark.asyncio
async def test_going_to_places(editor):
    uri = editor.open("System.mo")
    client = editor.client

    async def places(method, word, skip=0):
        answer = await method(editor.at(types.DefinitionParams, uri, word, skip))
        answer = answer if isinstance(answer, list) else [answer]
        return [(p.uri.rsplit("/", 1)[1], p.range.start.line) for p in answer]

    assert await places(client.text_document_definition_async, "mix(h") == [("package.mo", 2)]
    assert await places(client.text_document_definition_async, "base=4") == [("Tank.mo", 3)]
    assert await places(client.text_document_definition_async, "gain=2") == [("Vendor.mo", 2)]
    assert await places(client.text_document_declaration_async, "other.h") == [("System.mo", 3)]
    assert await places(client.text_document_type_definition_async, "other.h") == [("Tank.mo", 1)]
    assert await places(client.text_document_implementation_async, "System\n") == [("Tank.mo", 1)]


@pytest.mark.asyncio
async def test_references_highlights_and_rename_over_the_workspace(editor):
    uri = editor.open("Tank.mo")
    client = editor.client
    context = types.ReferenceContext(include_declaration=True)
    found = await client.text_document_references_async(editor.at(types.ReferenceParams, uri, "area(", context=context))
    assert sorted((f.uri.rsplit("/", 1)[1], f.range.start.line) for f in found) == [
        ("System.mo", 3),
        ("Tank.mo", 2),
        ("Tank.mo", 9),
    ]
    marks = await client.text_document_document_highlight_async(editor.at(types.DocumentHighlightParams, uri, "n];"))
    assert len(marks) == 3
    ready = await client.text_document_prepare_rename_async(editor.at(types.PrepareRenameParams, uri, "area("))
    assert ready.placeholder == "area"
    edit = await client.text_document_rename_async(editor.at(types.RenameParams, uri, "area(", new_name="ground_area"))
    changed = {}
    for change in edit.document_changes:
        name = change.text_document.uri.rsplit("/", 1)[1]
        changed[name] = applied(editor.workspace.path(name).read_text(), change.edits)
    assert changed["System.mo"] == SYSTEM.replace("area=5", "ground_area=5")
    assert changed["Tank.mo"] == TANK.replace("area(", "ground_area(").replace("area*", "ground_area*")


@pytest.mark.asyncio
async def test_a_component_that_is_declared_again_is_renamed_with_the_inherited_one(editor):
    text = SYSTEM.replace("  Tank other", "  parameter Real base = 1.5;\n  Tank other").replace("(base=4)", "")
    editor.workspace.path("System.mo").write_text(text)
    uri = editor.open("Tank.mo")
    edit = await editor.client.text_document_rename_async(editor.at(types.RenameParams, uri, "base = 1.5", new_name="basis"))
    changed = {c.text_document.uri.rsplit("/", 1)[1]: len(c.edits) for c in edit.document_changes}
    assert changed == {"Tank.mo": 2, "System.mo": 1}


@pytest.mark.asyncio
async def test_a_renamed_class_takes_its_file_along(editor):
    uri = editor.open("Tank.mo")
    edit = await editor.client.text_document_rename_async(editor.at(types.RenameParams, uri, "Tank \"", new_name="Basin"))
    moves = [c for c in edit.document_changes if isinstance(c, types.RenameFile)]
    assert [m.new_uri.rsplit("/", 1)[1] for m in moves] == ["Basin.mo"]
    edited = sorted(c.text_document.uri.rsplit("/", 1)[1] for c in edit.document_changes if hasattr(c, "edits"))
    assert edited == ["System.mo", "Tank.mo", "package.order"]


@pytest.mark.asyncio
@pytest.mark.parametrize("word, new", [("gain=2", "factor"), ("R(R=100)", "C"), ("total", "not a name"), ("total", "model")])
async def test_renames_that_are_refused(editor, word, new):
    uri = editor.open("System.mo")
    with pytest.raises(Exception) as why:
        await editor.client.text_document_rename_async(editor.at(types.RenameParams, uri, word, new_name=new))
    assert "library" in str(why.value) or "name" in str(why.value)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "old, new, word, skip, expected",
    [
        ("other.h)", "other.", "other.", 6, {"h", "area", "base"}),
        ("(R=100)", "(R=100, )", "R=100, ", 7, {"T_ref", "alpha", "useHeatPort"}),
        ("mix(h, other.h)", "mix(h, )", "mix(h, ", 7, {"weight", "b"}),
        ("connect(R.p, C.p);", "connect(R.p, );", "connect(R.p, ", 13, {"C.p", "C.n", "ground.p", "R.n"}),
        ("Basic.Resistor", "Basic.Res", "Basic.Res", 9, {"Resistor"}),
        ("end System", "annotation(Do end System", "annotation(Do", 13, {"Documentation"}),
        ("Real total", 'Real q(unit="k", start=0); Real total', 'unit="k', 7, {"kg", "kg/s"}),
        ("Real total", "Real q(sta); Real total", "q(sta", 5, {"start", "stateSelect"}),
        ("equation\n", "equation\n  tot\n", "  tot", 5, {"total"}),
    ],
)
async def test_completion(editor, old, new, word, skip, expected):
    uri = editor.open("System.mo", SYSTEM.replace(old, new, 1))
    answer = await editor.client.text_document_completion_async(editor.at(types.CompletionParams, uri, word, skip))
    items = answer if isinstance(answer, list) else answer.items
    assert expected <= {i.label for i in items}
    if "connect" in word:
        assert "part.gain" not in {i.label for i in items}


@pytest.mark.asyncio
async def test_signature_help(editor):
    uri = editor.open("System.mo")
    answer = await editor.client.text_document_signature_help_async(
        editor.at(types.SignatureHelpParams, uri, "mix(h, other", 8)
    )
    assert answer.signatures[0].label.startswith("mix(Real a, Real b")
    assert answer.active_parameter == 1


@pytest.mark.asyncio
async def test_structure_of_a_text(editor):
    uri = editor.open("System.mo")
    client = editor.client
    symbols = await client.text_document_document_symbol_async(document(types.DocumentSymbolParams, uri))
    assert symbols[0].name == "System" and "other" in [c.name for c in symbols[0].children]
    folds = await client.text_document_folding_range_async(document(types.FoldingRangeParams, uri))
    assert any(f.start_line == 1 and f.end_line >= 12 for f in folds)
    tokens = await client.text_document_semantic_tokens_full_async(document(types.SemanticTokensParams, uri))
    assert len(tokens.data) > 100 and len(tokens.data) % 5 == 0
    place = editor.place(uri, "other.h", 6)
    chain = (await client.text_document_selection_range_async(document(types.SelectionRangeParams, uri, positions=[place])))[0]
    words = []
    while chain is not None:
        if chain.range.start.line == chain.range.end.line:
            words.append(editor.shown(chain.range, uri))
        chain = chain.parent
    assert words[:2] == ["h", "other.h"] and "mix(h, other.h)" in words


@pytest.mark.asyncio
async def test_inlay_hints(editor):
    uri = editor.open("Tank.mo")
    whole = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=99, character=0))
    hints = await editor.client.text_document_inlay_hint_async(document(types.InlayHintParams, uri, range=whole))
    labels = [h.label for h in hints]
    assert "= 3" in labels and "[3]" in labels and "in m" in labels and "a =" in labels


@pytest.mark.asyncio
async def test_lenses_and_their_commands(editor):
    uri = editor.open("System.mo")
    lenses = await editor.client.text_document_code_lens_async(document(types.CodeLensParams, uri))
    titles = {l.command.title: l.command for l in lenses}
    assert list(titles) == ["Simulate", "Check", "Bond graph"]

    async def run(title):
        command = titles[title]
        params = types.ExecuteCommandParams(command=command.command, arguments=command.arguments)
        return await editor.client.workspace_execute_command_async(params)

    plot = await run("Simulate")
    assert "<svg" in plot["svg"] and "C.v" in plot["variables"]
    assert (await run("Check"))["errors"] == 0
    assert "<svg" in (await run("Bond graph"))["svg"]
    params = types.ExecuteCommandParams(command="ferrica.diagram", arguments=[uri, "Plant.System"])
    assert "<svg" in (await editor.client.workspace_execute_command_async(params))["svg"]


@pytest.mark.asyncio
async def test_workspace_symbols_and_links(editor):
    uri = editor.open("package.mo")
    for _ in range(100):
        found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(query="Tank"))
        if found:
            break
    assert [(s.name, s.container_name) for s in found] == [("Tank", "Plant")]
    links = await editor.client.text_document_document_link_async(document(types.DocumentLinkParams, uri))
    assert [l.target.rsplit("/", 1)[1] for l in links] == ["Tank.mo"]
    uri = editor.open("System.mo")
    links = await editor.client.text_document_document_link_async(document(types.DocumentLinkParams, uri))
    assert [l.target.rsplit("/", 1)[1] for l in links] == ["Tank.mo"]


@pytest.mark.asyncio
async def test_formatting_and_other_line_ends(editor):
    text = SYSTEM.replace("  Tank other(area=5);", "Tank   other( area = 5 );").replace("\n", "\r\n")
    uri = editor.open("System.mo", text)
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    edits = await editor.client.text_document_formatting_async(
        document(types.DocumentFormattingParams, uri, options=options)
    )
    assert "  Tank other(area=5);" in edits[0].new_text


@pytest.mark.asyncio
async def test_texts_of_the_editor_count_before_they_are_saved(editor):
    tank = editor.open("Tank.mo")
    await editor.diagnostics(tank)
    editor.change(tank, "base = 1.5", "basis = 1.5")
    editor.change(tank, "2*base", "2*basis")
    uri = editor.open("System.mo")
    found = await editor.diagnostics(uri)
    assert any("base" in d.message for d in found)


@pytest.mark.asyncio
async def test_what_is_gone_is_told(editor):
    uri = editor.open("System.mo")
    assert await editor.diagnostics(uri) == []
    editor.workspace.path("Tank.mo").unlink()
    editor.change(uri, "gain=2", "gain=3")
    found = await editor.diagnostics(uri)
    assert found and found[0].code in ("E0201", "E0202")
