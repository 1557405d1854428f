"""The options that choose rules: a preset or a file to start from, and single knobs changed."""

import argparse
import tomllib
from pathlib import Path
from typing import Final

from burraco.engine import PRESETS, Ruleset, Unreadable, preset
from burraco.engine.rules import ALL_RANKS, CLASSIC
from burraco.wire import with_knob_texts

_PRESET: Final = "preset"
# What the rules of record call the two usual values of the knob.
_RANKS: Final = {"all": ALL_RANKS, "none": ""}
_USUAL: Final = CLASSIC.name


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add ``--rules``, ``--rule`` and ``--rules-file``."""
    presets = ", ".join(PRESETS)
    parser.add_argument("--rules", metavar="PRESET", help=f"{presets} ({_USUAL})")
    add_changes(parser)


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add ``--rule`` and ``--rules-file``, for a command that takes the preset in another way."""
    parser.add_argument(
        "--rule",
        dest="changes",
        action="append",
        default=[],
        metavar="KNOB=VALUE",
        help="change one knob, as in close_needs=clean; may be repeated",
    )
    parser.add_argument(
        "--rules-file",
        type=Path,
        metavar="FILE",
        help="TOML: preset = 'fibur', then knobs; in place of a preset",
    )


def has_rules(arguments: argparse.Namespace) -> bool:
    """Whether any of the options was given."""
    return bool(arguments.rules or arguments.changes or arguments.rules_file)


def rules_of(arguments: argparse.Namespace) -> Ruleset:
    """The rules that were chosen; what makes no game is unreadable, and the text says why."""
    name: str | None = arguments.rules
    knobs: dict[str, str] = {}
    if arguments.rules_file is not None:
        if name is not None:
            raise Unreadable(
                f"the preset {name} and --rules-file {arguments.rules_file}: give one of them; a"
                f" file names its preset as in {_PRESET} = '{name}'"
            )
        name, knobs = _read_file(arguments.rules_file)
    return with_changes(preset(name or _USUAL), arguments, knobs)


def with_changes(
    rules: Ruleset, arguments: argparse.Namespace, knobs: dict[str, str] | None = None
) -> Ruleset:
    """Rules with ``knobs`` and then those of ``--rule`` changed, all of them at once."""
    texts = {**(knobs or {}), **dict(map(_read_change, arguments.changes))}
    if texts.get("set_ranks") in _RANKS:
        texts["set_ranks"] = _RANKS[texts["set_ranks"]]
    return with_knob_texts(rules, texts)


def _read_change(text: str) -> tuple[str, str]:
    knob, equals, value = text.partition("=")
    if not equals or not knob.strip():
        raise Unreadable(f"--rule {text!r}: write KNOB=VALUE; `burraco rules` lists the knobs")
    return knob.strip(), value.strip()


def _read_file(path: Path) -> tuple[str | None, dict[str, str]]:
    """The preset that a file names, if it does, and its knobs as text."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise Unreadable(f"{path}: {fault.strerror}") from None
    except ValueError as fault:  # no TOML, or no UTF-8
        raise Unreadable(f"{path}: {fault}") from None
    knobs = {knob: _as_text(path, knob, value) for knob, value in found.items()}
    return knobs.pop(_PRESET, None), knobs


def _as_text(path: Path, knob: str, value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | str():
            return str(value)
        case _:
            raise Unreadable(f"{path}: {knob}: a text, a whole number, true or false is needed")
