"""Finds a bot: a class in its author's file, or a bot that an installed package offers by name."""

import importlib.util
import inspect
import sys
import traceback
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final

from burraco.sdk.bot import Bot

BOT_GROUP: Final = "burraco.bots"
_SUFFIX: Final = ".py"


class BotNotFound(Exception):
    """A bot cannot be had; the text says what was looked for and what to do."""


def load_bot(spec: str) -> type[Bot]:
    """The bot class of ``FILE.py``, ``FILE.py:Class`` or the name of an installed bot."""
    path, _, class_name = spec.partition(":") if f"{_SUFFIX}:" in spec else (spec, "", "")
    if not path.endswith(_SUFFIX):
        return _installed_bot(spec)
    module = _run_file(Path(path))
    return _choose(module, path, class_name)


def installed_bots() -> tuple[str, ...]:
    """Names of the bots that installed packages offer."""
    return tuple(sorted(entry_points(group=BOT_GROUP).names))


def _installed_bot(name: str) -> type[Bot]:
    found = entry_points(group=BOT_GROUP, name=name)
    if not found:
        offered = ", ".join(installed_bots()) or "none; install burraco[bots]"
        raise BotNotFound(
            f"no bot {name!r}: give a file as in my_bot.py, or an installed bot ({offered})"
        )
    loaded = next(iter(found)).load()
    if not (isinstance(loaded, type) and issubclass(loaded, Bot)):
        raise BotNotFound(f"the installed bot {name!r} is no subclass of burraco.sdk.Bot")
    return loaded


def _run_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BotNotFound(f"no file {path}: check the path, or name an installed bot")
    name = f"burraco_bot_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    # As python FILE.py does, so that a bot may import the modules beside it.
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    try:
        found.loader.exec_module(module)
    except Exception as problem:
        del sys.modules[name]
        raise BotNotFound(f"{path} cannot be imported:\n{author_traceback(problem)}") from None
    return module


def _choose(module: ModuleType, path: str, class_name: str) -> type[Bot]:
    here = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value is not Bot
        and value.__module__ == module.__name__
    }
    whole = {name: bot for name, bot in here.items() if not inspect.isabstract(bot)}
    if class_name:
        if class_name not in here:
            names = ", ".join(here) or "none"
            raise BotNotFound(f"{path} has no bot {class_name!r}: it has {names}")
        return _usable(here[class_name], path)
    if not here:
        raise BotNotFound(f"{path} has no bot: write a class Name(Bot) with decide(self, view)")
    if len(whole) > 1:
        raise BotNotFound(
            f"{path} has several bots ({', '.join(whole)}): choose one as in"
            f" {path}:{next(iter(whole))}"
        )
    return _usable(next(iter((whole or here).values())), path)


def _usable(bot: type[Bot], path: str) -> type[Bot]:
    """The bot, if an object of it can be made."""
    if inspect.isabstract(bot):
        raise BotNotFound(f"{path}: {bot.__name__} has no decide: write decide(self, view)")
    try:
        inspect.signature(bot).bind()
    except TypeError as missing:
        raise BotNotFound(
            f"{path}: {bot.__name__}() fails, {missing}: bots are made without arguments, so give"
            " each a default"
        ) from None
    return bot


def author_traceback(problem: BaseException) -> str:
    """The traceback from the author's own code on, without the frames of the SDK above it."""
    frame = problem.__traceback__
    while frame is not None and _is_ours(frame):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(problem), problem, frame)).rstrip()


def _is_ours(frame: TracebackType) -> bool:
    name = str(frame.tb_frame.f_globals.get("__name__", ""))
    return name.startswith(
        ("burraco.sdk.", "importlib.", "_frozen_importlib", "asyncio.", "concurrent.")
    )
