"""The command ``burraco health``: asks a server whether it serves, for probes and scripts."""

import argparse
import sys
from typing import TYPE_CHECKING, Final

import grpc

from burraco.sdk.calls import WrongUsage, credentials_for
from burraco.sdk.server_options import FAILED, OK, USAGE, add_address, tls_of

if TYPE_CHECKING:
    from burraco.sdk.command import Subparsers

_METHOD: Final = "/grpc.health.v1.Health/Check"
# A HealthCheckRequest for the whole server, and the one answer that means SERVING.
_WHOLE_SERVER: Final = b""
_SERVING: Final = b"\x08\x01"


def register(subparsers: "Subparsers") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "health",
        help="ask a server whether it serves",
        description="The exit status is 0 when the server serves, 1 when it does not.",
        epilog="example: burraco health --server 127.0.0.1:7070",
    )
    add_address(parser)
    parser.add_argument(
        "--tls-name",
        metavar="HOST",
        help="name in the certificate, where it is not that of --server",
    )
    parser.add_argument(
        "--within",
        type=float,
        default=4.0,
        metavar="SECONDS",
        help="how long to wait (%(default)s)",
    )
    parser.add_argument(
        "--alive",
        action="store_true",
        help="be content with any answer, also that of a server which drains",
    )
    parser.set_defaults(run=_health)


def _health(arguments: argparse.Namespace) -> int:
    try:
        channel = _channel(arguments)
    except WrongUsage as wrong:
        print(f"burraco health: {wrong}", file=sys.stderr)
        return USAGE
    with channel:
        check = channel.unary_unary(_METHOD, None, None)
        try:
            answer = check(_WHOLE_SERVER, timeout=arguments.within, wait_for_ready=True)
        except grpc.RpcError as error:
            print(f"{arguments.server} does not answer ({error.code().name})", file=sys.stderr)
            return FAILED
    if answer != _SERVING and not arguments.alive:
        print(f"{arguments.server} is not serving", file=sys.stderr)
        return FAILED
    print(f"{arguments.server} {'serves' if answer == _SERVING else 'is alive'}")
    return OK


def _channel(arguments: argparse.Namespace) -> grpc.Channel:
    credentials = credentials_for(arguments.server, tls_of(arguments))
    if credentials is None:
        return grpc.insecure_channel(arguments.server)
    name = arguments.tls_name
    options = [("grpc.ssl_target_name_override", name)] if name else []
    return grpc.secure_channel(arguments.server, credentials, options)
