"""Builds the server from its parts, and stops it in order."""

import asyncio
import contextlib
from typing import Any, Final

import grpc
from google.protobuf.internal import api_implementation
from grpc_health.v1 import health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection
from prometheus_client import start_http_server

from burraco.server.addresses import Address, AddressRefused, read_loopback, require_free
from burraco.server.boards import Boards
from burraco.server.clock import Clock, LoopClock
from burraco.server.drain import OpenStreams
from burraco.server.errors import draining
from burraco.server.folder import DataFolder
from burraco.server.house import House
from burraco.server.interceptors.auth import Auth
from burraco.server.interceptors.guard import Guard
from burraco.server.interceptors.metering import Metering
from burraco.server.logs import Faults
from burraco.server.metrics import Metrics
from burraco.server.services.bots import BotService
from burraco.server.services.matches import MatchService
from burraco.server.services.play import PlayService
from burraco.server.services.rules import RulesService
from burraco.server.sessions import Sessions
from burraco.server.settings import (
    FLUSH_SECONDS,
    FRAME_BYTES,
    LAG_SECONDS,
    METADATA_BYTES,
    STOP_SECONDS,
    ServeSettings,
)
from burraco.server.sidework import SideWork
from burraco.server.store.sqlite import SqliteStore
from burraco.server.store.writer import LogWriter
from burraco.server.table import Table
from burraco.server.tables import Tables
from burraco.server.tokens import ORGANISER, ORGANISER_SCOPES, Tokens
from burraco.v1 import (
    bot_service_pb2_grpc,
    match_service_pb2_grpc,
    play_service_pb2_grpc,
    rules_service_pb2_grpc,
)

SERVICES: Final = (
    "burraco.v1.BotService",
    "burraco.v1.MatchService",
    "burraco.v1.PlayService",
    "burraco.v1.RulesService",
    "grpc.health.v1.Health",
    reflection.SERVICE_NAME,
)
# Two servers may never share a port: the second one is told, instead of getting half of the calls.
OPTIONS: Final = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", FRAME_BYTES),
    ("grpc.max_metadata_size", METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", METADATA_BYTES),
    ("grpc.max_concurrent_streams", 1_000),
    ("grpc.server.max_pending_requests", 1_000),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
)


class Arena:
    """The whole server: build it inside the event loop, ``start`` it, ``stop`` it."""

    def __init__(
        self,
        settings: ServeSettings,
        folder: DataFolder,
        logger: Any,  # noqa: ANN401 - a structlog logger
        clock: Clock | None = None,
    ) -> None:
        assert api_implementation.Type() == "upb", "the fast protobuf backend is needed"
        self.listen = read_loopback(settings.listen, "--listen")
        self.metrics_at = settings.metrics and read_loopback(settings.metrics, "--metrics")
        self._settings = settings
        self._folder = folder
        self._logger = logger
        self.clock = clock or LoopClock()
        self.metrics = Metrics()
        self.streams = OpenStreams(self.metrics)
        self.health = HealthServicer()
        self.store = SqliteStore(folder.database)
        self.tokens = Tokens(self.store, self.clock)
        self.sessions = Sessions(self.metrics)
        self.side_work = SideWork()
        faults = Faults(logger)
        self.writer = LogWriter(self.store, self.metrics.log_commit.observe, faults.report)
        self.tables = self._build_tables(faults)
        self._server = self._build_server(faults)
        self._writing: asyncio.Task[None] | None = None
        self._lag: asyncio.TimerHandle | None = None
        self._scraping: Any = None

    async def start(self) -> None:
        """Recover what the store has, then serve."""
        await self.store.open()
        self._writing = asyncio.create_task(self.writer.run())
        await self._prepare_tokens()
        await self.tables.recover()
        self.listen = self.listen.with_port(self._bind())
        if isinstance(self.metrics_at, Address):
            self.metrics_at = self._serve_metrics(self.metrics_at)
        await self._server.start()
        self._watch_lag(asyncio.get_running_loop().time())

    def report(self) -> None:
        """Write to the log that the server serves."""
        self._logger.info("serving", address=str(self.listen), matches=len(self.tables))

    async def stop(self) -> None:
        """Tell everybody, write what is left, end every stream, and let go of everything."""
        self._logger.info("draining", matches=len(self.tables))
        await self.health.enter_graceful_shutdown()
        self.streams.announce(round((FLUSH_SECONDS + STOP_SECONDS) * 1000))
        self.tables.freeze()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self.writer.flush()
        self.streams.end(draining())
        await self._server.stop(STOP_SECONDS)
        await self.close()
        self._logger.info("stopped")

    async def close(self) -> None:
        """Let go of files, ports and tasks; also after a start that failed."""
        if self._lag is not None:
            self._lag.cancel()
        if self._writing is not None:
            self._writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writing
        if self._scraping is not None:
            server, thread = self._scraping
            await asyncio.to_thread(server.shutdown)
            server.server_close()
            thread.join()
        self.side_work.close()
        await self.store.close()

    def _build_tables(self, faults: Faults) -> Tables:
        def ended(table: Table) -> None:
            self.tables.ended(table)

        house = House(
            clock=self.clock,
            writer=self.writer,
            boards=Boards(),
            metrics=self.metrics,
            sink_of=self.sessions.of,
            ended=ended,
            broken=faults.report,
        )
        tables = Tables(self.store, house, self.side_work)
        self.sessions.renewed = tables.renewed
        self.sessions.moved = tables.moved
        return tables

    def _build_server(self, faults: Faults) -> grpc.aio.Server:
        interceptors = [
            Metering(self.metrics, self.clock.now),
            Guard(faults.report),
            Auth(self.tokens),
        ]
        server = grpc.aio.server(interceptors=interceptors, options=OPTIONS)
        clock, tables, streams = self.clock, self.tables, self.streams
        play = PlayService(tables, self.sessions, streams, clock)
        matches = MatchService(self.store, tables, self.tokens, streams, clock, self.side_work)
        play_service_pb2_grpc.add_PlayServiceServicer_to_server(play, server)
        match_service_pb2_grpc.add_MatchServiceServicer_to_server(matches, server)
        bot_service_pb2_grpc.add_BotServiceServicer_to_server(BotService(self.tokens), server)
        rules = RulesService(self.side_work)
        rules_service_pb2_grpc.add_RulesServiceServicer_to_server(rules, server)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        reflection.enable_server_reflection(SERVICES, server)
        return server

    def _bind(self) -> int:
        try:
            # gRPC would say it too, but in its own words on the terminal.
            require_free(self.listen)
            return self._server.add_insecure_port(str(self.listen))
        except (OSError, RuntimeError) as error:
            raise AddressRefused(
                f"--listen {self.listen}: the port is in use or not allowed; choose another,"
                " or port 0 for any free one"
            ) from error

    def _serve_metrics(self, address: Address) -> Address:
        try:
            self._scraping = start_http_server(
                address.port, address.host, registry=self.metrics.registry
            )
        except OSError as error:
            raise AddressRefused(
                f"--metrics {address}: {error.strerror}; choose another port, or off"
            ) from error
        return address.with_port(self._scraping[0].server_port)

    async def _prepare_tokens(self) -> None:
        await self.tokens.load()
        chosen = self._settings.organiser_token
        if chosen:
            self.tokens.accept(chosen, ORGANISER, ORGANISER_SCOPES)
        elif not self.tokens.knows(ORGANISER):
            self._folder.write_token(await self.tokens.register(ORGANISER, ORGANISER_SCOPES))

    def _watch_lag(self, due: float) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        self.metrics.loop_lag.observe(max(0.0, now - due))
        self._lag = loop.call_at(now + LAG_SECONDS, self._watch_lag, now + LAG_SECONDS)
