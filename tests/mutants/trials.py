"""Run the tests once for each change, in a process of its own, until one of them notices."""

import ast
import importlib
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

import pytest

from tests.mutants.changes import Change, changed_tree, changes_of, put_in_force

PACKAGE: Final = "burraco.engine"
# Left out are the tests of the reference itself, and the plugins that print, keep files, or wait
# with a signal of their own.
_LEFT_OUT: Final = "not planted and not shrunk and not long_run and not two_runs"
OPTIONS: Final = (
    *("-o", "addopts=--import-mode=importlib", "-k", _LEFT_OUT),
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:timeout"),
)
# What a test may take, in seconds of the processor and as a multiple of what it takes unchanged.
_GRACE: Final = 2.0
_TIMES: Final = 10
_MEMORY: Final = 4 << 30
# What a test that has noticed nothing yet may still notice, and the seconds it takes to begin one.
_HOPE: Final = 0.02
_OVERHEAD: Final = 0.01
_NOTICED_BY_NONE: Final = ""
_ENDLESS: Final = "endless"
_BROKEN: Final = 3
# What pytest ends with when a test failed, or a module with tests could not even be imported.
_NOTICED: Final = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which changes are tried, and how many at the same time."""

    modules: Sequence[str]
    every: int
    only: Sequence[str]
    jobs: int


@dataclass(slots=True)
class Trials:
    """A plugin of pytest that tries each change on the tests that were collected."""

    plan: Plan
    tests: Sequence[str]
    tried: list[tuple[Change, bool]] = field(default_factory=list)
    _seconds: dict[str, float] = field(default_factory=dict)
    _kills: Counter[str] = field(default_factory=Counter)
    _ran: set[tuple[str, str]] = field(default_factory=set)
    _ran_at_import: set[tuple[str, str]] = field(default_factory=set)

    def pytest_sessionstart(self) -> None:
        """Note what runs while the engine is imported and the tests are collected."""
        sys.setprofile(self._note)
        importlib.import_module(PACKAGE)
        self._ran_at_import |= self._ran

    def pytest_collection_finish(self) -> None:
        """From here on only tests run."""
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._ran.add((frame.f_globals.get("__name__", ""), frame.f_code.co_qualname))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of the tests, the tests once without a change and then once for each."""
        self._measure(session)
        running: dict[int, tuple[Change, int]] = {}
        for change in self._changes():
            while len(running) >= self.plan.jobs:
                self._collect(running)
            self._start(change, session, running)
        while running:
            self._collect(running)
        return True

    def _changes(self) -> Iterator[Change]:
        for name in self.plan.modules:
            module = f"{PACKAGE}.{name}"
            changes = changes_of(module, _source_of(sys.modules[module]))
            wanted = self.plan.only
            yield from (
                change
                for change in changes[:: self.plan.every]
                if not wanted or str(change) in wanted or change.where in wanted
            )

    def _measure(self, session: pytest.Session) -> None:
        """Run the tests unchanged, which they must pass, for the seconds that each takes."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            _be_quiet()
            with os.fdopen(writing, "w") as told:
                for item, following in _pairs(session.items):
                    begun = time.process_time()
                    outcome = "failed" if _fails(item, following) else "passed"
                    print(time.process_time() - begun, outcome, item.nodeid, file=told)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            for line in told:
                seconds, outcome, name = line.rstrip("\n").split(" ", 2)
                assert outcome == "passed", f"{name} fails without any change"
                self._seconds[name] = float(seconds)
        os.waitpid(child, 0)
        print(f"\n{len(self._seconds)} tests, {sum(self._seconds.values()):.0f} s of processor")

    def _start(
        self, change: Change, session: pytest.Session, running: dict[int, tuple[Change, int]]
    ) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.close(writing)
            running[child] = change, reading
            return
        try:
            _be_quiet()
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            os.write(writing, self._noticed_by(change, session).encode())
            os._exit(0)
        finally:
            os._exit(_BROKEN)

    def _collect(self, running: dict[int, tuple[Change, int]]) -> None:
        child, status = os.wait()
        change, reading = running.pop(child)
        with os.fdopen(reading) as told:
            test = told.read()
        assert not os.WIFEXITED(status) or not status, f"the trial of {change} broke"
        test = _ENDLESS if status else test
        self._kills[test] += 1
        self.tried.append((change, bool(test)))
        print(f"{change}: {test or 'NOT NOTICED'}", flush=True)
        if not test:
            print(change.lines, flush=True)

    def _noticed_by(self, change: Change, session: pytest.Session) -> str:
        """The test that notices, if any; a change of what has run already needs a fresh import."""
        place = change.module, change.where
        if place not in self._ran_at_import:
            put_in_force(change, sys.modules[change.module])
            test = self._first_to_fail(session)
            if test or place not in self._ran:
                return test
        return _noticed_afresh(change, self.tests, sum(self._seconds.values()))

    def _first_to_fail(self, session: pytest.Session) -> str:
        for item, following in _pairs(sorted(session.items, key=self._promise, reverse=True)):
            _allow(_GRACE + _TIMES * self._seconds[item.nodeid])
            if _fails(item, following):
                return item.nodeid
        return _NOTICED_BY_NONE

    def _promise(self, item: pytest.Item) -> float:
        """How many changes a test has noticed for the seconds that it takes."""
        return (self._kills[item.nodeid] + _HOPE) / (self._seconds[item.nodeid] + _OVERHEAD)


def _pairs(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _source_of(module: ModuleType) -> Path:
    assert module.__file__ is not None
    assert module.__file__.endswith(".py"), f"{module.__name__} is compiled: set BURRACO_PURE=1"
    return Path(module.__file__)


def _be_quiet() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _allow(seconds: float) -> None:
    """End this process unless it asks again within so many seconds of the processor."""
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    listener = _Listener()
    item.config.pluginmanager.register(listener)
    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
    item.config.pluginmanager.unregister(listener)
    return listener.failed


@dataclass(slots=True, eq=False)
class _Listener:
    failed: bool = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed


def _noticed_afresh(change: Change, tests: Sequence[str], seconds: float) -> str:
    """Import all again with the change in the source, the quickest tests first."""
    source = _source_of(sys.modules[change.module])
    tree = changed_tree(change, source.read_text())
    for name in [*sys.modules]:
        if name.startswith(("burraco.", "tests.")) or name == "tests":
            del sys.modules[name]
    sys.meta_path.insert(0, _Changed(change.module, source, tree))
    for chosen in (tests[:1], tests[1:]):
        _allow(20 + _TIMES * seconds)
        status = pytest.main([*OPTIONS, "-x", *chosen])
        if status in _NOTICED:
            return f"{Path(chosen[0]).name} or after"
        assert status == pytest.ExitCode.OK, f"pytest ended with {status}"
    return _NOTICED_BY_NONE


@dataclass(frozen=True, slots=True)
class _Changed(MetaPathFinder, Loader):
    """Finds one module, whose source it has changed."""

    name: str
    source: Path
    tree: ast.Module

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return spec_from_file_location(fullname, self.source, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.source), "exec"), vars(module))
