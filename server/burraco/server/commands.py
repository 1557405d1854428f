"""The command ``burraco serve``."""

import argparse
import asyncio
import gc
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Final

from burraco.server.addresses import AddressRefused
from burraco.server.app import Arena
from burraco.server.failpoints import VARIABLE as FAIL_POINT_VARIABLE
from burraco.server.failpoints import arm
from burraco.server.folder import DataFolder
from burraco.server.logs import make_logger, say
from burraco.server.settings import ServeSettings
from burraco.server.store import StoreFailed, StoreFenced, StoreUnusable
from burraco.server.tls import TlsRefused, read_tls

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

OK: Final = 0
USAGE: Final = 2
# Messages come and go without cycles; the usual 700 new objects would be reached twice an answer.
_COLLECT_AFTER: Final = 10_000
# How long one thread may keep the others waiting. A commit needs the interpreter four times, and on
# a busy server it waited as often for the usual 5 ms.
_SWITCH_SECONDS: Final = 0.002
TOKEN_VARIABLE: Final = "BURRACO_ORGANISER_TOKEN"
DATABASE_VARIABLE: Final = "BURRACO_DATABASE"
# 256 random bits in base 64 are 43 characters; fewer than this could be guessed.
_SHORTEST_TOKEN: Final = 32


class ReadyFileUnusable(Exception):
    """The ready file cannot be written; the text says why and what to do."""


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "serve",
        help="run the server",
        description="Serves matches to bots until it is told to stop (SIGTERM or Ctrl-C).",
        epilog="example: burraco serve --data ./burraco-data",
    )
    add_options(parser)
    parser.set_defaults(run=serve)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be chosen."""
    parser.add_argument(
        "--listen", default="127.0.0.1:7070", metavar="HOST:PORT", help="for bots (%(default)s)"
    )
    parser.add_argument(
        "--data",
        default=Path("burraco-data"),
        type=Path,
        metavar="DIR",
        help="where matches and tokens are kept (./burraco-data)",
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        help="keep them in postgresql://USER@HOST/NAME or sqlite:///FILE instead; a URL with a"
        f" password belongs into {DATABASE_VARIABLE}",
    )
    parser.add_argument(
        "--metrics",
        default="127.0.0.1:0",
        metavar="HOST:PORT",
        help="for Prometheus, or off (a free port, printed at the start)",
    )
    parser.add_argument(
        "--admin",
        metavar="HOST:PORT",
        help="for tokens of scope operate: drain, audit log, reflection, channelz (default: none)",
    )
    _add_tls(parser)
    parser.add_argument(
        "--ready-file", type=Path, metavar="FILE", help="written as JSON once the server serves"
    )
    parser.add_argument(
        "--loop",
        choices=("auto", "asyncio", "uvloop"),
        default="auto",
        help="event loop; auto takes uvloop where it is installed",
    )


def _add_tls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tls-cert",
        type=Path,
        metavar="FILE",
        help="certificate with its chain, as PEM; needed to listen beyond this machine",
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its key, as PEM")
    parser.add_argument(
        "--tls-client-ca",
        type=Path,
        metavar="FILE",
        help="only clients with a certificate of these authorities may connect",
    )


def serve(arguments: argparse.Namespace) -> int:
    """Serve until told to stop; gives the exit status."""
    token = os.environ.get(TOKEN_VARIABLE) or None
    if token is not None and len(token) < _SHORTEST_TOKEN:
        say(
            f"burraco serve: {TOKEN_VARIABLE} has {len(token)} characters: at least"
            f" {_SHORTEST_TOKEN} random ones, or leave it out and one is made"
        )
        return USAGE
    try:
        settings = _read_settings(arguments, token)
        arm(os.environ.get(FAIL_POINT_VARIABLE, ""), settings.listen)
        _run(_serve(settings, arguments.ready_file), arguments.loop)
    except (
        AddressRefused,
        ReadyFileUnusable,
        StoreFailed,
        StoreUnusable,
        TlsRefused,
    ) as refused:
        say(f"burraco serve: {refused}")
        return USAGE
    return OK


def _read_settings(arguments: argparse.Namespace, token: str | None) -> ServeSettings:
    return ServeSettings(
        listen=arguments.listen,
        folder=arguments.data,
        metrics=None if arguments.metrics == "off" else arguments.metrics,
        organiser_token=token,
        database=arguments.database or os.environ.get(DATABASE_VARIABLE) or None,
        admin=arguments.admin,
        tls=read_tls(arguments.tls_cert, arguments.tls_key, arguments.tls_client_ca),
    )


def _run(main: Coroutine[None, None, None], loop: str) -> None:
    if loop == "asyncio" or (loop == "auto" and importlib.util.find_spec("uvloop") is None):
        asyncio.run(main)
        return
    import uvloop

    uvloop.run(main)


async def _serve(settings: ServeSettings, ready_file: Path | None) -> None:
    folder = DataFolder(settings.folder)
    try:
        arena = Arena(settings, folder, make_logger(sys.stderr))
        stopping = arena.drain_asked
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
        if arena.certificates is not None:
            renewed = arena.certificates.read_again
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, renewed)
        try:
            await arena.start()
        except BaseException:
            await arena.close()
            raise
        _greet(arena, settings, folder)
        if ready_file is not None:
            _write_ready(ready_file, arena)
        arena.report()
        _settle_memory()
        await stopping.wait()
        await arena.stop()
        if arena.is_fenced:
            raise StoreFenced(
                "another server has taken this database over, and this one has stopped;"
                " give each server a database of its own"
            )
    finally:
        folder.close()


def _settle_memory() -> None:
    """What is loaded now stays, so the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    sys.setswitchinterval(_SWITCH_SECONDS)


def _greet(arena: Arena, settings: ServeSettings, folder: DataFolder) -> None:
    token = f"in {TOKEN_VARIABLE}" if settings.organiser_token else f"in {folder.token_file}"
    say(f"burraco serves on {arena.listen} ({_safety(settings)})")
    say(f"metrics: {f'http://{arena.metrics_at}/metrics' if arena.metrics_at else 'off'}")
    if arena.admin_at:
        say(f"admin: {arena.admin_at}")
    say(f"the organiser's token is {token}")
    say(f"next: burraco bot register NAME --server {arena.listen} --token ORGANISER")


def _safety(settings: ServeSettings) -> str:
    if settings.tls is None:
        return "no TLS, this machine only"
    return "TLS" if settings.tls.client_ca is None else "TLS, with certificates of clients"


def _write_ready(path: Path, arena: Arena) -> None:
    """In one step, so that whoever waits for the file finds it whole."""
    ready = {
        "address": str(arena.listen),
        "metrics": str(arena.metrics_at) if arena.metrics_at else None,
        "admin": str(arena.admin_at) if arena.admin_at else None,
        "pid": os.getpid(),
    }
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(json.dumps(ready))
        draft.replace(path)
    except OSError as fault:
        raise ReadyFileUnusable(
            f"--ready-file {path}: cannot be written ({fault.strerror}); choose another"
        ) from fault
