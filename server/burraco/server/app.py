"""Builds the server from its parts, and stops it in order."""

import asyncio
import contextlib
from typing import Any

import grpc
from google.protobuf.internal import api_implementation
from grpc_health.v1._async import HealthServicer
from prometheus_client import start_http_server

from burraco.server.addresses import Address, not_listening, read_address, read_safe_address
from burraco.server.audit import Audit
from burraco.server.boards import Boards
from burraco.server.certificates import Certificates
from burraco.server.clock import Clock, LoopClock
from burraco.server.credentials import HOST
from burraco.server.drain import OpenStreams
from burraco.server.endings import Endings
from burraco.server.errors import draining
from burraco.server.folder import DataFolder
from burraco.server.house import House
from burraco.server.interceptors.auth import ADMIN_NEEDS, PUBLIC_NEEDS, Auth, Needs
from burraco.server.interceptors.checking import Checking
from burraco.server.interceptors.guard import Guard
from burraco.server.interceptors.handlers import Interceptor
from burraco.server.interceptors.metering import Metering
from burraco.server.logs import Faults
from burraco.server.metrics import Metrics
from burraco.server.ownership import watch_ownership
from burraco.server.ports import admin_server, bind, public_server
from burraco.server.quotas import Quotas
from burraco.server.services.admin import AdminService
from burraco.server.services.bots import BotService
from burraco.server.services.matches import MatchService
from burraco.server.services.play import PlayService
from burraco.server.services.rules import RulesService
from burraco.server.services.tournaments import TournamentService
from burraco.server.sessions import Sessions
from burraco.server.settings import (
    FLUSH_SECONDS,
    LAG_SECONDS,
    STOP_SECONDS,
    ServeSettings,
)
from burraco.server.sidework import SideWork
from burraco.server.store import StoreFenced
from burraco.server.store.choosing import choose_store
from burraco.server.store.writer import LogWriter
from burraco.server.table import Table
from burraco.server.tables import Tables
from burraco.server.tls import TlsRefused
from burraco.server.tokens import ORGANISER, ORGANISER_SCOPES, Tokens
from burraco.server.tournaments.director import Desk
from burraco.server.tournaments.directory import Directory


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
        has_tls = settings.tls is not None
        self.certificates = (
            None if settings.tls is None else Certificates(settings.tls, self._tell_certificate)
        )
        self.listen = read_safe_address(settings.listen, "--listen", has_tls=has_tls)
        self.admin_at = settings.admin and read_safe_address(
            settings.admin, "--admin", has_tls=has_tls
        )
        # Figures hold no secret, so they may be read from anywhere.
        self.metrics_at = settings.metrics and read_address(settings.metrics, "--metrics")
        self._settings = settings
        self._folder = folder
        self._logger = logger
        self.clock = clock or LoopClock()
        # Whether another server has taken over what this one owned.
        self.is_fenced = False
        # Set once somebody has asked for an orderly stop over the API.
        self.drain_asked = asyncio.Event()
        self.metrics = Metrics()
        self.streams = OpenStreams(self.metrics)
        self.health = HealthServicer()
        self.store = choose_store(settings.database, folder.database)
        self.audit = Audit(self.store, self.clock)
        self.tokens = Tokens(self.store, self.clock)
        self.quotas = Quotas(settings.limits, self.clock)
        self.sessions = Sessions(self.metrics, self.quotas)
        self.side_work = SideWork()
        faults = Faults(logger, self.metrics.internal_errors.inc)
        self.writer = LogWriter(
            self.store, self.metrics.log_commit.observe, faults.report, self._fence
        )
        self.metrics.log_stalled.set_function(lambda: self.writer.is_stalled)
        self.metrics.watch_disk(folder.path)
        self.tables = self._build_tables(faults)
        self.tournaments = self._build_tournaments(faults)
        self.endings = Endings(self.store, self.tables, self.sessions, self.clock, faults.report)
        self.sessions.named = self.endings.tell
        self._server = self._build_server(faults)
        self._admin = self._build_admin(faults)
        self._working: list[asyncio.Task[None]] = []
        self._lag: asyncio.TimerHandle | None = None
        self._scraping: Any = None

    async def start(self) -> None:
        """Recover what the store has, then serve."""
        await self.store.open()
        unfinished = await self.store.claim()
        for work in (self.writer.run(), watch_ownership(self.store, self._fence)):
            self._working.append(asyncio.create_task(work))
        await self._prepare_tokens()
        await self.tables.recover(unfinished)
        await self.tournaments.recover()
        self.listen = bind(self._server, self.listen, "--listen", self.certificates)
        if isinstance(self.admin_at, Address):
            self.admin_at = bind(self._admin, self.admin_at, "--admin", self.certificates)
        if isinstance(self.metrics_at, Address):
            self.metrics_at = self._serve_metrics(self.metrics_at)
        await self._server.start()
        await self._admin.start()
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
        await asyncio.gather(self._server.stop(STOP_SECONDS), self._admin.stop(STOP_SECONDS))
        await self.close()
        self._logger.info("stopped")

    async def close(self) -> None:
        """Let go of files, ports and tasks; also after a start that failed."""
        if self._lag is not None:
            self._lag.cancel()
        for task in self._working:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self._scraping is not None:
            server, thread = self._scraping
            await asyncio.to_thread(server.shutdown)
            server.server_close()
            thread.join()
        self.tokens.stop()
        await self.endings.stop()
        await self.tournaments.stop()
        self.side_work.close()
        await self.store.close()

    def _fence(self, fenced: StoreFenced) -> None:
        """Another server has taken our matches over: act no more, and ask to be stopped."""
        if not self.is_fenced:
            self.is_fenced = True
            self._logger.error("fenced", why=str(fenced))
            self.tables.freeze()
            self.drain_asked.set()

    def _tell_certificate(self, refused: TlsRefused | None) -> None:
        """Files of TLS have changed: they are used from now on, or the old ones go on."""
        if refused is None:
            self._logger.info("certificate_read")
        else:
            self._logger.error("certificate_refused", why=str(refused))

    def _build_tables(self, faults: Faults) -> Tables:
        def ended(table: Table) -> None:
            self.tables.ended(table)
            self.tournaments.ended(table)

        house = House(
            clock=self.clock,
            writer=self.writer,
            boards=Boards(),
            metrics=self.metrics,
            sink_of=self.sessions.of,
            ended=ended,
            broken=faults.report,
            illegal_act=self.quotas.illegal_act,
        )
        tables = Tables(self.store, house, self.side_work)
        self.quotas.matches_of = tables.count_of
        self.sessions.renewed = tables.renewed
        self.sessions.moved = tables.moved
        self.sessions.open_at = tables.open_at
        return tables

    def _build_tournaments(self, faults: Faults) -> Directory:
        desk = Desk(self.store, self.tables, self.side_work, self.clock, faults.report)
        tournaments = Directory(desk, self.metrics)
        self.tables.is_settled = tournaments.is_settled
        return tournaments

    def _build_server(self, faults: Faults) -> grpc.aio.Server:
        clock, tables, streams = self.clock, self.tables, self.streams
        return public_server(
            self._interceptors(faults, PUBLIC_NEEDS),
            self.health,
            PlayService(tables, self.sessions, streams, clock),
            MatchService(
                self.store,
                tables,
                self.tokens,
                self.audit,
                streams,
                clock,
                self.side_work,
                self.quotas,
            ),
            TournamentService(
                self.store,
                self.tournaments,
                self.tokens,
                self.audit,
                streams,
                clock,
                self.side_work,
            ),
            BotService(self.tokens),
            RulesService(self.side_work),
        )

    def _build_admin(self, faults: Faults) -> grpc.aio.Server:
        admin = AdminService(self.store, self.audit, self.drain_asked.set)
        return admin_server(self._interceptors(faults, ADMIN_NEEDS), self.health, admin)

    def _interceptors(self, faults: Faults, needs: Needs) -> list[Interceptor]:
        metering = Metering(self.metrics, self.clock.now)
        auth = Auth(self.tokens, self.quotas, needs)
        return [metering, Guard(faults.report), auth, Checking()]

    def _serve_metrics(self, address: Address) -> Address:
        try:
            self._scraping = start_http_server(
                address.port, address.host, registry=self.metrics.registry
            )
        except OSError as error:
            raise not_listening(address, "--metrics", error) from error
        return address.with_port(self._scraping[0].server_port)

    async def _prepare_tokens(self) -> None:
        await self.tokens.load()
        chosen = self._settings.organiser_token
        if chosen:
            self.tokens.accept(chosen, ORGANISER, ORGANISER_SCOPES)
        elif not self.tokens.is_operated():
            secret, _ = await self.tokens.create(HOST, ORGANISER, ORGANISER_SCOPES, 0)
            self._folder.write_token(secret)

    def _watch_lag(self, due: float) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        self.metrics.loop_lag.observe(max(0.0, now - due))
        self._lag = loop.call_at(now + LAG_SECONDS, self._watch_lag, now + LAG_SECONDS)
