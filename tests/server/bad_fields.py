"""Wrong values for every field of a message, found by walking its descriptor."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

# More entries than any list may have, and more characters than any text.
MANY = 1_000
LONG = 3_000
_TEXTS = {
    "control": "a\0b",
    "newline": "a\nb",
    "format": "a\u202eb",
    "long": "x" * LONG,
}
_LARGEST = {
    Field.TYPE_UINT32: 2**32 - 1,
    Field.TYPE_UINT64: 2**64 - 1,
    Field.TYPE_FIXED64: 2**64 - 1,
    Field.TYPE_INT32: 2**31 - 1,
    Field.TYPE_SINT32: 2**31 - 1,
    Field.TYPE_INT64: 2**63 - 1,
}
_SIGNED = (Field.TYPE_INT32, Field.TYPE_SINT32, Field.TYPE_INT64)
Steps = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """One wrong value: ``spot`` is ``Message.field kind``, ``path`` what a refusal has to name."""

    spot: str
    path: str
    spoil: Callable[[Message], None]


class Walk:
    """Goes through a message by its type; ``samples`` are good messages to fill empty places."""

    def __init__(self, samples: Mapping[str, Message]) -> None:
        self._samples = samples

    def cases(self, descriptor: Any, steps: Steps = ()) -> Iterator[Case]:  # noqa: ANN401
        for oneof in descriptor.oneofs:
            if len(oneof.fields) > 1:
                yield self._case(steps, f"{descriptor.name}.{oneof.name} none", oneof.name, _clear)
        for field in descriptor.fields:
            yield from self._of(field, steps)

    def _of(self, field: Any, steps: Steps) -> Iterator[Case]:  # noqa: ANN401 - a descriptor
        name = f"{field.containing_type.name}.{field.name}"
        if is_map(field):
            yield from self._of_map(field, steps, name)
        elif field.is_repeated:
            yield self._case(steps, f"{name} list", field.name, self._crowd(field))
            if field.message_type is not None:
                yield from self.cases(field.message_type, (*steps, field))
            for kind, value in wrong(field):
                yield self._case(steps, f"{name} {kind}", f"{field.name}[0]", _fill(value))
        elif field.message_type is not None:
            if not _is_alternative(field):
                yield self._case(steps, f"{name} missing", field.name, _clear)
            yield from self.cases(field.message_type, (*steps, field))
        else:
            for kind, value in wrong(field):
                yield self._case(steps, f"{name} {kind}", field.name, _put(value))

    def _of_map(self, field: Any, steps: Steps, name: str) -> Iterator[Case]:  # noqa: ANN401
        kinds = field.message_type.fields_by_name
        good = "x" if kinds["value"].type == Field.TYPE_STRING else 1
        yield self._case(
            steps,
            f"{name} list",
            field.name,
            _map_of({f"k{number}": good for number in range(MANY)}),
        )
        for kind, key in wrong(kinds["key"]):
            yield self._case(steps, f"{name} key-{kind}", field.name, _map_of({key: good}))
        for kind, value in wrong(kinds["value"]):
            yield self._case(steps, f"{name} {kind}", f"{field.name}[k]", _map_of({"k": value}))

    def _case(
        self, steps: Steps, spot: str, last: str, change: Callable[[Message, str], None]
    ) -> Case:
        path = ".".join([*(f"{step.name}[0]" if step.is_repeated else step.name for step in steps)])

        def spoil(message: Message) -> None:
            change(self._inside(message, steps), last.partition("[")[0])

        return Case(spot, f"{path}.{last}" if path else last, spoil)

    def _inside(self, message: Any, steps: Steps) -> Any:  # noqa: ANN401 - a message
        for step in steps:
            held, sample = getattr(message, step.name), self._samples[step.message_type.name]
            if step.is_repeated:
                message = held[0] if held else held.add()
                is_set = bool(message.ByteSize())
            else:
                is_set, message = message.HasField(step.name), held
            if not is_set:
                message.CopyFrom(sample)
                message.SetInParent()
        return message

    def _crowd(self, field: Any) -> Callable[[Message, str], None]:  # noqa: ANN401
        if field.message_type is not None:
            return _fill(*[self._samples[field.message_type.name]] * MANY)
        good = {Field.TYPE_STRING: "m", Field.TYPE_ENUM: 1}.get(field.type, 0)
        return _fill(*[good] * MANY)


def wrong(field: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a descriptor
    """Values that a field of that type may hardly ever hold; of a switch both are good."""
    if field.type == Field.TYPE_STRING:
        yield from _TEXTS.items()
    elif field.type == Field.TYPE_BYTES:
        yield "long", b"\xff" * LONG
    elif field.type == Field.TYPE_ENUM:
        yield from (("unspecified", 0), ("unknown", 99), ("negative", -1))
    elif field.type in _LARGEST:
        yield "large", _LARGEST[field.type]
        if field.type in _SIGNED:
            yield "small", -_LARGEST[field.type] - 1
    elif field.type == Field.TYPE_DOUBLE:
        yield from (("large", 1e300), ("small", -1e300), ("nan", math.nan))
    else:
        assert field.type in (Field.TYPE_BOOL, Field.TYPE_MESSAGE), f"{field.full_name}: no values"


def is_map(field: Any) -> bool:  # noqa: ANN401 - a descriptor
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _is_alternative(field: Any) -> bool:  # noqa: ANN401 - a descriptor
    return field.containing_oneof is not None and len(field.containing_oneof.fields) > 1


def _clear(message: Message, name: str) -> None:
    oneof = message.DESCRIPTOR.oneofs_by_name.get(name)
    chosen = name if oneof is None else message.WhichOneof(name)
    if chosen is not None:
        message.ClearField(chosen)


def _put(value: object) -> Callable[[Message, str], None]:
    return lambda message, name: setattr(message, name, value)


def _fill(*values: object) -> Callable[[Message, str], None]:
    def fill(message: Message, name: str) -> None:
        held = getattr(message, name)
        del held[:]
        held.extend(values)

    return fill


def _map_of(values: Mapping[Any, Any]) -> Callable[[Message, str], None]:
    def fill(message: Message, name: str) -> None:
        held = getattr(message, name)
        held.clear()
        held.update(values)

    return fill
