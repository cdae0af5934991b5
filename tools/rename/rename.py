"""Move modules and rename symbols of a checkout after the tables beside this file: ``rename.py TREE``."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, QualifiedNameProvider

ROOT = Path(sys.argv[1]).resolve()
HERE = Path(__file__).parent
HOUSES = ("kernels", "dem", "cases", "benchmarks", "tests", "docs")
TEXTS = ("pyproject.toml", "README.md", "CONTRIBUTING.md", ".ci/run", "MANIFEST.in", "dem/__init__.pyi")
PACKAGES = {
    "kernels.hard": "kernels.event_driven", "kernels.stochastic": "kernels.dsmc", "kernels.box": "kernels.domain",
    "dem.hard": "dem.event_driven", "dem.stochastic": "dem.dsmc", "dem.soft.traffic": "dem.soft.insertion",
}  # fmt: skip
NOT_MODULES = {("kernels.walls", "cells")}  # words in docstrings there that are no modules
LEFT = {"image-nearest"}  # mutants whose code has a variable of the name that is renamed


def table(name: str) -> dict[str, str]:
    """Rows of two words."""
    lines = (HERE / name).read_text().splitlines()
    return dict(line.split() for line in lines if line.strip() and not line.startswith("#"))


MODULES = table("modules.txt")
SYMBOLS = {tuple(key.split(":")): new for key, new in table("symbols.txt").items()}
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for house in HOUSES
    for path in sorted((ROOT / house).rglob("*.py"))
}


def imported_names(path: Path) -> dict[str, tuple[str, str]]:
    """Names that a file imports at its top, with the module and the name there."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


IMPORTED = {name: imported_names(path) for name, path in FILES.items()}


def is_module(base: str, name: str) -> bool:
    """Whether what is imported from a package by a name is a module of it, not a name that it imports itself."""
    return f"{base}.{name}" in FILES and IMPORTED.get(base, {}).get(name, (base, name)) == (base, name)


def origin(module: str, symbol: str) -> tuple[str, str]:
    """Module and name where a symbol is defined that a module may only import."""
    while symbol in IMPORTED.get(module, {}):
        home, name = IMPORTED[module][symbol]
        if f"{home}.{name}" in FILES:
            break
        module, symbol = home, name
    return module, symbol


def new_symbol(module: str, symbol: str) -> str | None:
    """The new name of a symbol, if it gets one."""
    return SYMBOLS.get(origin(module, symbol))


def new_path(module: str) -> str:
    """Where a module lies in the repository, dotted."""
    return MODULES.get(module) or PACKAGES.get(module) or module


def new_module(module: str) -> str:
    """By which name a module is imported: kernels and cases are within dem."""
    path = new_path(module)
    return f"dem.{path}" if path.split(".")[0] in ("kernels", "cases") else path


def split_qualified(name: str) -> tuple[str | None, list[str]]:
    """The longest beginning of a dotted name that is a module, and the rest."""
    parts = name.split(".")
    for k in range(len(parts), 0, -1):
        if ".".join(parts[:k]) in FILES:
            return ".".join(parts[:k]), parts[k:]
    return None, parts


def stem(module: str) -> str:
    """Last part of a dotted name."""
    return module.rsplit(".", 1)[-1]


class Rename(cst.CSTTransformer):
    """Rename what a file imports and defines."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider,)

    def __init__(self, module: str, used: set[str]) -> None:
        super().__init__()
        self.module, self.used = module, used

    def alias_of(self, module: str) -> str:
        """By which name a moved module goes in this file: its new one, if nothing else here is called so."""
        own, package = stem(new_module(module)), new_module(module).split(".")[-2]
        if own == stem(module) or own not in self.used:
            return own
        return f"{own}_module" if own.startswith(package) else f"{package}_{own}"

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:  # noqa: N802
        """Rename modules and symbols where they are used."""
        text = original_node.value
        for qualified in self.get_metadata(QualifiedNameProvider, original_node, set()):
            if qualified.source.name == "LOCAL" and qualified.name == text:
                new = SYMBOLS.get((self.module, text))
            elif qualified.source.name == "IMPORT":
                module, rest = split_qualified(qualified.name)
                if module is None:
                    continue
                if not rest:
                    new = self.alias_of(module) if module in MODULES and text == stem(module) else None
                else:
                    new = new_symbol(module, text) if rest == [text] else None
            else:
                continue
            if new:
                return updated_node.with_changes(value=new)
        return updated_node

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:  # noqa: N802
        """Rename symbols that are taken from a module."""
        name = original_node.attr.value
        for qualified in self.get_metadata(QualifiedNameProvider, original_node, set()):
            module, rest = split_qualified(qualified.name)
            if qualified.source.name == "IMPORT" and module and rest == [name] and (new := new_symbol(module, name)):
                return updated_node.with_changes(attr=updated_node.attr.with_changes(value=new))
        return updated_node

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802
        """Imports are made anew as a whole."""
        del node
        return False

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel:
        """Make an import anew: a line for each module that its names come from now."""
        statement = original_node.body[0]
        if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
            return updated_node
        base, groups = cst.Module([]).code_for_node(statement.module), {}
        for alias in statement.names:
            name, shown = alias.name.value, alias.asname.name.value if alias.asname else None
            full = f"{base}.{name}"
            if is_module(base, name) and new_module(full) != full:
                home, new = new_module(full).rsplit(".", 1)
                shown = shown or (self.alias_of(full) if full in MODULES else None)
            else:
                home, new = new_module(base), new_symbol(base, name) or name
            groups.setdefault(home, []).append((new, shown if shown != new else None))
        lines = [statement.with_changes(module=cst.parse_expression(home), names=_aliases(names))
                 for home, names in groups.items()]  # fmt: skip
        first, *rest = lines
        made = [updated_node.with_changes(body=[first])]
        made += [updated_node.with_changes(body=[line], leading_lines=[]) for line in rest]
        return cst.FlattenSentinel(made) if rest else made[0]


def _aliases(names: list[tuple[str, str | None]]) -> list[cst.ImportAlias]:
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    return [
        cst.ImportAlias(
            cst.Name(name),
            asname=cst.AsName(cst.Name(shown)) if shown else None,
            comma=comma if k < len(names) - 1 else cst.MaybeSentinel.DEFAULT,
        )
        for k, (name, shown) in enumerate(names)
    ]


def bound_names(tree: ast.AST) -> set[str]:
    """All names that a file binds or uses."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


DOTTED = {name: new_module(name) for name in (*FILES, *PACKAGES) if "." in name and new_module(name) != name}
DOTTED |= {f"{module}.{symbol}": f"{new_module(module)}.{new}" for (module, symbol), new in SYMBOLS.items()}
SLASHED = {f"{old.replace('.', '/')}.py": f"{new.replace('.', '/')}.py" for old, new in MODULES.items()}
SLASHED |= {f"{old.replace('.', '/')}/": f"{new.replace('.', '/')}/" for old, new in PACKAGES.items()}


def any_of(words: dict[str, str]) -> str:
    """Pattern of these words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


IN_TEXT = re.compile(r"from ((?:kernels|dem|cases)(?:\.\w+)*) import (\w+(?:, \w+)*)")
DOT = re.compile(rf"(?<![\w./])({any_of(DOTTED)})(?!\w)")
SLASH = re.compile(rf"(?<![\w.])({any_of(SLASHED)})")


def import_in_text(match: re.Match) -> str:
    """An import within a string: what it imports keeps its name in the rest of the string."""
    base, groups = match[1], {}
    for name in match[2].split(", "):
        if is_module(base, name):
            home, new = new_module(f"{base}.{name}").rsplit(".", 1)
        else:
            home, new = new_module(base), (new_symbol(base, name) if base in FILES else None) or name
        groups.setdefault(home, []).append(new if new == name else f"{new} as {name}")
    return "; ".join(f"from {home} import {', '.join(names)}" for home, names in groups.items())


def renamed_text(text: str) -> str:
    """Text with the new names and paths of modules."""
    text = DOT.sub(lambda match: DOTTED[match[0]], IN_TEXT.sub(import_in_text, text))
    return SLASH.sub(lambda match: SLASHED[match[0]], text)


def renamed_stems(text: str, module: str) -> str:
    """A docstring of kernels, which names modules of its own room, or of others, as ``name``."""
    own = module.rsplit(".", 1)[0]

    def new(match: re.Match) -> str:
        word = match[1]
        rooms = [own] if f"{own}.{word}" in FILES else ["kernels.soft", "kernels.base", "kernels.walls", "kernels.laws"]
        if (own, word) in NOT_MODULES:
            return match[0]
        return next((f"``{stem(MODULES[f'{r}.{word}'])}``" for r in rooms if f"{r}.{word}" in MODULES), match[0])

    return re.sub(r"``([a-z_]+)``", new, text)


def renamed_file(name: str) -> str:
    """The text of a module with all new names."""
    source = FILES[name].read_text()
    code = MetadataWrapper(cst.parse_module(source)).visit(Rename(name, bound_names(ast.parse(source)))).code
    starts = [0]
    for line in code.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    pieces, last = [], 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in kinds:
            begin, end = (starts[row - 1] + column for row, column in (token.start, token.end))
            text = renamed_text(code[begin:end])
            if name.startswith("kernels") and text.startswith(('"""', 'r"""', "#")):
                text = renamed_stems(text, name)
            pieces += [code[last:begin], text]
            last = end
    code = "".join(pieces) + code[last:]
    ast.parse(code)
    return code


def functions() -> dict[str, list[tuple[str, str]]]:
    """Module and text of each function of kernels and dem, by its name."""
    found = {}
    for name, path in FILES.items():
        if name.split(".")[0] in ("kernels", "dem"):
            lines = path.read_text().splitlines()
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef):
                    text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
                    found.setdefault(node.name, []).append((name, text))
    return found


def renamed_code(code: str, module: str) -> str:
    """A piece of a module's code with the new names of what it defines and imports."""
    own = IMPORTED[module]

    def new(match: re.Match) -> str:
        taken, name = match[1], match[2]
        if taken and taken not in own:
            return match[0]
        home, symbol = own.get(taken or name, (module, name))
        full = f"{home}.{symbol}"
        if taken:  # module.symbol
            return f"{stem(new_path(full))}.{new_symbol(full, name) or name}" if full in FILES else match[0]
        return stem(MODULES[full]) if full in MODULES else new_symbol(home, symbol) or name

    return re.sub(r"(?<![\w.])(?:([A-Za-z_]\w*)\.)?([A-Za-z_]\w*)", new, code)


def renamed_mutants(source: str) -> str:
    """The table of mutants with the new names of functions, and in pieces of their code."""
    known, raw, edits, starts = functions(), source.encode(), [], [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Mutant") or node.args[0].value in LEFT:
            continue
        function, old, new = (argument.value for argument in node.args[1:4])
        homes = [module for module, text in known.get(function, []) if old in text]
        if len(homes) != 1:
            print(f"mutant {node.args[0].value} is in {len(homes)} modules")
            continue
        module = homes[0]
        wanted = SYMBOLS.get((module, function), function), renamed_code(old, module), renamed_code(new, module)
        for argument, text in zip(node.args[1:4], wanted, strict=True):
            if text != argument.value:
                begin = starts[argument.lineno - 1] + argument.col_offset
                end = starts[argument.end_lineno - 1] + argument.end_col_offset
                edits.append((begin, end, repr(text) if '"' in text or "\\" in text else f'"{text}"'))
    for begin, end, text in sorted(edits, reverse=True):
        raw = raw[:begin] + text.encode() + raw[end:]
    return raw.decode()


def git(*words: str) -> None:
    """Run git in the checkout."""
    subprocess.run(["git", "-C", str(ROOT), *words], check=True)


def place_of(module: str) -> Path:
    """Folder or file of a dotted name, without its ending."""
    return ROOT.joinpath(*module.split("."))


def move() -> None:
    """Move files, and give new packages their docstrings."""
    bases = {old: new for old, new in PACKAGES.items() if (place_of(old) / "__init__.py").exists()}
    bases["kernels.base"] = "kernels.numerics"
    for old, new in bases.items():
        place_of(new).mkdir(parents=True, exist_ok=True)
        git("mv", str(place_of(old) / "__init__.py"), str(place_of(new) / "__init__.py"))
    for old, new in MODULES.items():
        place_of(new).parent.mkdir(parents=True, exist_ok=True)
        git("mv", f"{place_of(old)}.py", f"{place_of(new)}.py")
    for line in (HERE / "packages.txt").read_text().splitlines():
        package, text = line.split(" ", 1)
        path = place_of(package) / "__init__.py"
        if not path.exists() or package == "kernels.numerics":
            path.write_text(f'"""{text}"""\n')


def main() -> None:
    """Rename all."""
    missing = [module for module in MODULES if module not in FILES]
    if missing:
        sys.exit(f"not there, so this tree has been renamed or the table is old: {', '.join(missing)}")
    mutants = FILES["tests.mutations"]
    mutants.write_text(renamed_mutants(mutants.read_text()))
    with ProcessPoolExecutor() as pool:
        texts = dict(zip(FILES, pool.map(renamed_file, FILES, chunksize=8), strict=True))
    for name, text in texts.items():
        FILES[name].write_text(text)
    pages = [
        path for path in (ROOT / "docs").rglob("*") if path.suffix in {".md", ".json"} and "made" not in path.parts
    ]
    for path in (*(ROOT / name for name in TEXTS), *pages):
        path.write_text(renamed_text(path.read_text()))
    move()


if __name__ == "__main__":
    main()
