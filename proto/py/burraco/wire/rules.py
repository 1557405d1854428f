"""Rulesets on the wire."""

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Final, TypeVar

from burraco.engine.errors import Unreadable
from burraco.engine.rules import CLASSIC, Ruleset, preset
from burraco.v1 import rules_pb2 as pb

V = TypeVar("V")

# Every seat is told the rules when a match begins, and there are few of them.
_RULES_LIMIT: Final = 256
_encoded: dict[tuple[str, bytes], bytes] = {}


def rules_to_wire(rules: Ruleset) -> pb.Ruleset:
    """A ruleset with every knob written out."""
    key = rules.name, rules.content_hash
    encoded = _encoded.get(key)
    if encoded is None:
        if len(_encoded) >= _RULES_LIMIT:
            _encoded.clear()
        knobs = knob_texts(rules)
        message = pb.Ruleset(name=rules.name, knobs=knobs, content_hash=rules.content_hash)
        encoded = _encoded[key] = message.SerializeToString()
    return pb.Ruleset.FromString(encoded)


def rules_from_wire(message: pb.Ruleset) -> Ruleset:
    """A ruleset from its knobs; one whose hash does not fit its knobs is unreadable."""
    rules = rules_from_texts(message.name, message.knobs)
    if message.content_hash and message.content_hash != rules.content_hash:
        raise Unreadable(f"rules {message.name!r}: the hash does not belong to the knobs")
    return rules


def rules_from_choice(message: pb.RulesChoice) -> Ruleset:
    """A preset, ``classic`` when none is named, with single knobs overridden."""
    chosen = preset(message.preset or CLASSIC.name)
    return with_knob_texts(chosen, message.overrides) if message.overrides else chosen


def knob_texts(rules: Ruleset) -> dict[str, str]:
    """Every knob as text: ``yes`` and ``no`` for switches."""
    return {
        field.name: _text(getattr(rules, field.name))
        for field in fields(rules)
        if field.name != "name"
    }


def with_knob_texts(rules: Ruleset, texts: Mapping[str, str]) -> Ruleset:
    """Rules with knobs changed as ``knob_texts`` writes them; what does not fit is unreadable."""
    return rules.with_knobs(**{knob: _value(rules, knob, text) for knob, text in texts.items()})


def rules_from_texts(name: str, texts: Mapping[str, str]) -> Ruleset:
    """A whole ruleset from its name and all its knobs."""
    missing = knob_texts(CLASSIC).keys() - texts.keys()
    if missing:
        raise Unreadable(f"rules {name!r} lack the knobs {', '.join(sorted(missing))}")
    values = {knob: _value(CLASSIC, knob, text) for knob, text in texts.items()}
    return Ruleset(**{"name": name, **values})  # type: ignore[arg-type]  # checked by knob in _value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.value if isinstance(value, StrEnum) else str(value)


def _value(rules: Ruleset, knob: str, text: str) -> bool | int | str:
    present = getattr(rules, knob, None)
    if present is None or knob not in knob_texts(rules):
        raise Unreadable(f"no knob {knob!r}: there are {', '.join(knob_texts(rules))}")
    if isinstance(present, bool):
        return _one_of(knob, text, {"yes": True, "no": False})
    if isinstance(present, int):
        if not text.removeprefix("-").isdecimal() or len(text) > 9:
            raise Unreadable(f"{knob} {text!r}: a whole number is needed")
        return int(text)
    if isinstance(present, StrEnum):
        return _one_of(knob, text, {member.value: member for member in type(present)})
    return text


def _one_of(knob: str, text: str, values: Mapping[str, V]) -> V:
    if text not in values:
        raise Unreadable(f"{knob} {text!r}: it is one of {', '.join(values)}")
    return values[text]
