"""The two ports that speak gRPC: the public one, and that of whoever runs the server."""

from collections.abc import Sequence
from typing import Final

import grpc
from grpc_channelz.v1 import channelz_pb2_grpc
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from burraco.server.addresses import Address, not_listening, require_free
from burraco.server.certificates import Certificates
from burraco.server.interceptors.handlers import Interceptor
from burraco.server.services.admin import AdminService
from burraco.server.services.bots import BotService
from burraco.server.services.channelz import Channelz
from burraco.server.services.matches import MatchService
from burraco.server.services.play import PlayService
from burraco.server.services.rules import RulesService
from burraco.server.services.tournaments import TournamentService
from burraco.server.settings import FRAME_BYTES, METADATA_BYTES, STREAMS
from burraco.v1 import (
    admin_service_pb2_grpc,
    bot_service_pb2_grpc,
    match_service_pb2_grpc,
    play_service_pb2_grpc,
    rules_service_pb2_grpc,
    tournament_service_pb2_grpc,
)

_ADMIN_SERVICES: Final = (
    "burraco.v1.AdminService",
    "grpc.channelz.v1.Channelz",
    "grpc.health.v1.Health",
    reflection.SERVICE_NAME,
)
# Two servers may never share a port: the second one is told, instead of getting half of the calls.
_OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    # Room for a refusal in our own words, before gRPC cuts what is larger still, or lets it wait.
    ("grpc.max_receive_message_length", 2 * FRAME_BYTES),
    ("grpc.max_metadata_size", 2 * METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", 2 * METADATA_BYTES),
    ("grpc.max_concurrent_streams", STREAMS + 100),
    ("grpc.server.max_pending_requests", 1_000),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


def public_server(
    interceptors: Sequence[Interceptor],
    health: HealthServicer,
    play: PlayService,
    matches: MatchService,
    tournaments: TournamentService,
    bots: BotService,
    rules: RulesService,
) -> grpc.aio.Server:
    """The server for bots, organisers and onlookers."""
    server = grpc.aio.server(interceptors=interceptors, options=_OPTIONS)
    play_service_pb2_grpc.add_PlayServiceServicer_to_server(play, server)
    match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
    tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(tournaments, server)
    bot_service_pb2_grpc.add_BotServiceServicer_to_server(bots, server)
    rules_service_pb2_grpc.add_RulesServiceServicer_to_server(rules, server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    return server


def admin_server(
    interceptors: Sequence[Interceptor], health: HealthServicer, admin: AdminService
) -> grpc.aio.Server:
    """The server for whoever runs it, with what tools ask for."""
    server = grpc.aio.server(interceptors=interceptors, options=_OPTIONS)
    admin_service_pb2_grpc.add_AdminServiceServicer_to_server(admin, server)
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    channelz_pb2_grpc.add_ChannelzServicer_to_server(Channelz(), server)
    reflection.enable_server_reflection(_ADMIN_SERVICES, server)
    return server


def bind(
    server: grpc.aio.Server,
    address: Address,
    option: str,
    certificates: Certificates | None,
) -> Address:
    """Listen at an address, with TLS where there are certificates; gives it with its port."""
    try:
        # gRPC would say it too, but in its own words on the terminal.
        require_free(address)
        if certificates is None:
            port = server.add_insecure_port(str(address))
        else:
            port = server.add_secure_port(str(address), certificates.credentials())
    except (OSError, RuntimeError) as error:
        raise not_listening(address, option, error) from error
    return address.with_port(port)
