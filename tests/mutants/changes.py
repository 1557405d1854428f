"""Changes by one small step of the functions of a module, as mutmut writes them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FunctionType, ModuleType
from typing import Final

# mutmut puts every changed function beside the first, a method of a class between two "ǁ".
_NAME: Final = re.compile(r"x(?:_|ǁ(?P<owner>\w+)ǁ)(?P<name>\w+)__mutmut_(?P<number>\d+|orig)")
_SETTINGS: Final = '[tool.mutmut]\nsource_paths = ["src/"]\n'


@dataclass(frozen=True, slots=True)
class Change:
    """One function of one module, changed by one step."""

    module: str
    owner: str | None
    function: str
    number: int
    before: str
    after: str

    @property
    def where(self) -> str:
        """The function as Python names it within its module."""
        return f"{self.owner}.{self.function}" if self.owner else self.function

    def __str__(self) -> str:
        return f"{self.module.rpartition('.')[2]}.{self.where}:{self.number}"

    @property
    def lines(self) -> str:
        """The lines that differ, before and after."""
        differing = unified_diff(self.before.split("\n"), self.after.split("\n"), n=0, lineterm="")
        return "\n".join(line for line in differing if not line.startswith(("---", "+++", "@@")))


def changes_of(module: str, source: Path) -> list[Change]:
    """Every change of the functions of a module, in the order of their names."""
    tree = ast.parse(_changed_source(source))
    found = [
        (match, _plain(node, match["name"]))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (match := _NAME.fullmatch(node.name))
    ]
    plain = {(match["owner"], match["name"]): text for match, text in found if _is_first(match)}
    return [
        Change(
            module,
            match["owner"],
            match["name"],
            int(match["number"]),
            plain[match["owner"], match["name"]],
            text,
        )
        for match, text in found
        if not _is_first(match)
    ]


def _is_first(match: re.Match[str]) -> bool:
    return match["number"] == "orig"


def _plain(function: ast.FunctionDef, name: str) -> str:
    """The text of a function under its own name."""
    function.name = name
    function.decorator_list = []
    return ast.unparse(function)


def _changed_source(source: Path) -> str:
    """A module with all the changes of its functions, which mutmut writes before it runs tests.

    There are none in its folder, so it stops there.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").mkdir()
        (folder / "pyproject.toml").write_text(_SETTINGS)
        (folder / "src" / source.name).write_text(source.read_text())
        run = [sys.executable, "-m", "mutmut", "run", "--max-children", "1"]
        subprocess.run(run, cwd=folder, capture_output=True, check=False)
        return (folder / "mutants" / "src" / source.name).read_text()


def put_in_force(change: Change, module: ModuleType) -> None:
    """Change the function itself, so that whoever has imported it has it changed."""
    holder = getattr(module, change.owner) if change.owner else module
    function = vars(holder)[change.function]
    function = function.fget if isinstance(function, property) else function
    assert isinstance(function, FunctionType)
    function.__code__ = _code_of(change.after, change.function)


def _code_of(text: str, name: str) -> CodeType:
    (code,) = _codes_in(compile(text, f"<changed {name}>", "exec"))
    return code


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def changed_tree(change: Change, source: str) -> ast.Module:
    """The whole module with the change in it."""
    tree = ast.parse(source)
    (changed,) = ast.parse(change.after).body
    assert isinstance(changed, ast.FunctionDef)
    body = tree.body
    if change.owner:
        (body,) = (
            node.body
            for node in body
            if isinstance(node, ast.ClassDef) and node.name == change.owner
        )
    for at, node in enumerate(body):
        if isinstance(node, ast.FunctionDef) and node.name == change.function:
            changed.decorator_list = node.decorator_list
            body[at] = changed
    return ast.fix_missing_locations(tree)
