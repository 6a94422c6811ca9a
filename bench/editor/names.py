"""Names of a library: go to definition, and rename, judged by the compiler alone.

python bench/editor/names.py --lib DIR --ferrica FILE [--seed 1] [--count 300] [--renames 50] [--models 60]

Definitions: identifiers are chosen at random in models and blocks. `check` resolves one if it fails when a name that nothing has is written in
its place. The definition is right if the model has that name again once it is written there as well.

Renames: applied one after the other in a copy of the library; then flat models must be the same but for the names.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from client import Server, offset_of, place

FRESH = "zq_fresh"
ENDING = "_rnd"
WORDS = set(
    "algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif elsewhen encapsulated end "
    "enumeration equation expandable extends external false final flow for function if import impure in initial inner input loop model not operator "
    "or outer output package parameter partial protected public pure record redeclare replaceable return stream then true type when while within".split()
)
# What has no declaration in any text.
PREDEFINED = set(
    "Real Integer Boolean String StateSelect AssertionLevel Clock time start fixed min max nominal unit displayUnit quantity stateSelect unbounded "
    "abs sign sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 div mod rem ceil floor integer delay cardinality semiLinear "
    "initial terminal noEvent smooth sample pre edge change reinit assert terminate homotopy size ndims zeros ones fill identity diagonal scalar "
    "vector matrix transpose outerProduct symmetric cross skew sum product cat linspace array promote inStream actualStream spatialDistribution "
    "getInstanceName Connections branch root potentialRoot isRoot rooted never avoid default prefer always warning error previous hold subSample "
    "superSample shiftSample backSample noClock interval firstTick transition initialState activeState ticksInState timeInState".split()
)
# The names of the libraries themselves: the models that are compared are asked for by them.
LIBRARIES = {"Modelica", "ModelicaServices", "Complex"}
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_]\w*|\d[\w.]*|.', re.S)


def identifiers(text):
    """Where identifiers stand that are not in annotations, with the identifier."""
    depth, annotation = 0, None
    for token in TOKEN.finditer(text):
        word = token.group()
        if word == "annotation" and annotation is None:
            annotation = depth
        if word in "([{" and len(word) == 1:
            depth += 1
        if word in ")]}" and len(word) == 1:
            depth -= 1
            if annotation == depth:
                annotation = None
        if annotation is None and re.match(r"[A-Za-z_]", word) and word not in WORDS:
            yield token.start(), word


def path_of(uri):
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))


def replaced(text, at, old, new):
    assert text[at : at + len(old)] == old, (text[at : at + 40], old)
    return text[:at] + new + text[at + len(old) :]


def model_at(server, uri, text, at):
    """The model or block around a place that `check` takes, by its full name."""
    lenses = server.ask("textDocument/codeLens", {"textDocument": {"uri": uri}}) or []
    known = {offset_of(text, l["range"]["start"]): l["command"]["arguments"][1] for l in lenses}
    inner, best = None, 0

    def visit(symbols):
        nonlocal inner, best
        for s in symbols:
            start, end = offset_of(text, s["range"]["start"]), offset_of(text, s["range"]["end"])
            if s["kind"] not in (8, 14) and start <= at <= end and start >= best:
                inner, best = offset_of(text, s["selectionRange"]["start"]), start
                visit(s.get("children") or [])

    visit(server.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) or [])
    return known.get(inner)


def unresolved(server, uri, model, line):
    """Does `check` say that the name that nothing has is not known, on this line?"""
    answer = server.ask("workspace/executeCommand", {"command": "ferrica.check", "arguments": [uri, model]})
    file = str(path_of(uri))
    for message in re.split(r"\n(?=error|warning)", answer["text"]):
        said = message.split("\n")[0]
        if message.startswith("error") and FRESH in said and re.search(re.escape(f"{file}:{line}:"), message):
            return True
    return False


def choose(server, files, rng):
    """An identifier in a model: file, text, place, name, model."""
    while True:
        path = rng.choice(files)
        text = path.read_text(encoding="utf-8", errors="replace")
        found = [(at, name) for at, name in identifiers(text) if name not in PREDEFINED]
        if not found:
            continue
        at, name = rng.choice(found)
        uri = server.open(path, text)
        model = model_at(server, uri, text, at)
        if model is None:
            server.close(path)
            continue
        yield path, text, uri, at, name, model


def definitions(server, files, rng, count):
    right, wrong, not_resolved, resolved = 0, [], 0, []
    for path, text, uri, at, name, model in choose(server, files, rng):
        if right + len(wrong) >= count:
            return right, wrong, not_resolved, resolved
        line = text.count("\n", 0, at) + 1
        where = {"textDocument": {"uri": uri}, "position": place(text, at)}
        found = server.ask("textDocument/definition", where)
        server.open(path, replaced(text, at, name, FRESH))
        if not unresolved(server, uri, model, line):
            not_resolved += 1
            server.close(path)
            continue
        label = f"{path.name}:{line} `{name}` in {model}"
        if not found:
            wrong.append(label + ": no definition")
        else:
            target = path_of(found["uri"])
            there = text if target == path else target.read_text(encoding="utf-8", errors="replace")
            spot = offset_of(there, found["range"]["start"])
            word = there[spot : offset_of(there, found["range"]["end"])]
            # `end X` must agree with `X` in a renamed class.
            ends = [m.start(1) for m in re.finditer(rf"\bend\s+({re.escape(word)})\s*;", there) if m.start() > spot][:1]
            is_class = bool(re.search(r"\b(model|block|class|package|function|record|connector|type|operator)\s+$", there[:spot]))
            spots = {(target, spot)} | ({(target, e) for e in ends} if is_class else set())
            stem = target.parent.name if target.name == "package.mo" else target.stem
            if is_class and target == path and model.endswith("." + word):
                # The model itself, at its `end`.
                own = at == spot or re.search(r"\bend\s+$", text[:at]) is not None
                ok = own and there[:spot].rstrip().endswith(("model", "block", "class"))
            elif is_class and word == stem:
                # The name of a file is that of its class: without the class in it, the model must fail for that reason.
                source = there
                for o in sorted({o for _, o in spots}, reverse=True):
                    source = replaced(source, o, word, FRESH)
                server.open(path, text)
                server.open(target, source)
                told = server.ask("workspace/executeCommand", {"command": "ferrica.check", "arguments": [uri, model]})["text"]
                ok = "E0253" in told and str(target) in told
            else:
                # An import on the way names it too. Through an import with another name, the use keeps that name.
                around = [f / "package.mo" for f in path.parents if (f / "package.mo").exists()]
                sources = {f: f.read_text(encoding="utf-8", errors="replace") for f in [path, target, *around]}
                for file, source in sources.items():
                    pattern = rf"\bimport\s+[\w.]+\.({re.escape(word)})\s*;"
                    spots |= {(file, m.start(1)) for m in re.finditer(pattern, source)}
                for file in dict.fromkeys([path, target] + [f for f, _ in spots]):
                    source = sources[file]
                    uses = {at} if file == path and word == name else set()
                    for o in sorted({o for f, o in spots if f == file} | uses, reverse=True):
                        source = replaced(source, o, name if o in uses else word, FRESH)
                    server.open(file, source)
                ok = not unresolved(server, uri, model, line)
            if ok:
                right += 1
                resolved.append((path, at, name))
            else:
                wrong.append(label + f": {target.name}:{there.count(chr(10), 0, spot) + 1}")
            for open_ in list(server.texts):
                server.close(path_of(open_))
        server.close(path)
        if (right + len(wrong)) % 25 == 0:
            print(f"  {right} right, {len(wrong)} wrong, {not_resolved} that check does not resolve", flush=True)


def apply(edit):
    """A workspace edit on disk."""
    for change in edit["documentChanges"]:
        if change.get("kind") == "rename":
            path_of(change["oldUri"]).rename(path_of(change["newUri"]))
            continue
        path = path_of(change["textDocument"]["uri"])
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for e in sorted(change["edits"], key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
            # A name is on one line; columns are bytes.
            row, line = e["range"]["start"]["line"], lines[e["range"]["start"]["line"]].encode()
            start, end = e["range"]["start"]["character"], e["range"]["end"]["character"]
            lines[row] = (line[:start] + e["newText"].encode() + line[end:]).decode()
        path.write_text("\n".join(lines), encoding="utf-8")


def renames(program, copy, files, rng, count):
    """Renames in the copy; pairs of old and new names of classes, and what was refused."""
    done, refused, classes = [], [], {}
    server = Server(program, root=copy)
    while len(done) < count and len(done) + len(refused) < 5 * count:
        path = rng.choice(files)
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        found = [(at, n) for at, n in identifiers(text) if n not in PREDEFINED | LIBRARIES and not n.endswith(ENDING)]
        if not found:
            continue
        at, name = rng.choice(found)
        uri = server.open(path, text)
        where = {"textDocument": {"uri": uri}, "position": place(text, at)}
        try:
            kind = server.ask("textDocument/hover", where)
            edit = server.ask("textDocument/rename", {**where, "newName": name + ENDING})
        except RuntimeError as why:
            refused.append(f"{name}: {why}")
            server.close(path)
            continue
        server.close(path)
        apply(edit)
        edits = sum(len(c.get("edits", [])) for c in edit["documentChanges"])
        full = re.search(r"\n\n`([\w.]+)`", kind["contents"]["value"]) if kind else None
        is_class = any(c.get("kind") == "rename" for c in edit["documentChanges"]) or (
            kind and re.search(r"^```modelica\n(?:model|block|class|package|function|record|connector|type|operator)", kind["contents"]["value"])
        )
        if is_class and full:
            classes[full.group(1)] = None
        done.append(f"{name} ({edits} places)")
        print(f"  {done[-1]}", flush=True)
    server.end()
    return done, refused


def flat(program, lib, model):
    done = subprocess.run([program, "dump", "--stage", "flat", "-m", model, "--lib", str(lib)], capture_output=True, text=True, timeout=600)
    return done.stdout if done.returncode == 0 else None


def renamed_model(copy, model):
    """The path of a model in the copy, where classes on the way may have their new name."""
    folder, parts = copy, []
    for part in model.split("."):
        new = part + ENDING
        parts.append(part)
        if folder is not None:
            if (folder / new).exists() or (folder / f"{new}.mo").exists():
                parts[-1] = new
            folder = folder / parts[-1] if (folder / parts[-1]).is_dir() else None
    return ".".join(parts)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lib", required=True, type=pathlib.Path)
    p.add_argument("--ferrica", required=True)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--renames", type=int, default=50)
    p.add_argument("--models", type=int, default=60)
    p.add_argument("--keep", type=pathlib.Path, help="make the copy here and leave it")
    args = p.parse_args()
    rng = random.Random(args.seed)
    failed = False
    if args.count:
        files = sorted((args.lib / "Modelica").rglob("*.mo"))
        server = Server(args.ferrica, libraries=[args.lib])
        right, wrong, not_resolved, _ = definitions(server, files, rng, args.count)
        server.end()
        print(f"definitions: {right} of {right + len(wrong)} right; {not_resolved} identifiers that check does not resolve")
        for line in wrong:
            print("  WRONG " + line)
        failed |= bool(wrong)
    if args.renames:
        with tempfile.TemporaryDirectory() as place_:
            copy = args.keep or pathlib.Path(place_)
            pick = shutil.ignore_patterns("*.png", "*.svg", "*.jpg", "*.c", "*.h", "*.html", "*.pdf", "*.gif")
            for name in ("Modelica", "ModelicaServices"):
                shutil.copytree(args.lib / name, copy / name, ignore=pick)
            shutil.copy(args.lib / "Complex.mo", copy)
            files = sorted((copy / "Modelica").rglob("*.mo"))
            done, refused = renames(args.ferrica, copy, files, rng, args.renames)
            print(f"renames: {len(done)} done, {len(refused)} refused with a reason")
            for why in refused:
                print("  refused " + why[:150])
            examples = []
            for path in sorted((args.lib / "Modelica").rglob("Examples/**/*.mo")):
                text = path.read_text(encoding="utf-8", errors="replace")
                if "experiment(" in text and path.name != "package.mo":
                    examples.append(".".join(path.relative_to(args.lib).with_suffix("").parts))
            same, touched, differ = 0, 0, []
            for model in rng.sample(examples, min(args.models, len(examples))):
                before = flat(args.ferrica, args.lib, model)
                if before is None:
                    continue
                after = flat(args.ferrica, copy, renamed_model(copy, model))
                touched += after is not None and ENDING in after
                after = after and re.sub(rf"{ENDING}\b", "", after)
                if before == after:
                    same += 1
                else:
                    differ.append(model)
            print(f"flat models: {same} the same ({touched} of them have renamed names), {len(differ)} differ")
            for model in differ:
                print("  DIFFERS " + model)
            failed |= bool(differ)
    sys.exit(failed)


if __name__ == "__main__":
    main()
