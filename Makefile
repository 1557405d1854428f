# Two commands are all a newcomer needs: `make run` plays a tournament, `make test` runs every test.
# Both make their own virtual environment; Python 3.11 or newer and make are the whole list of needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROTOS := $(wildcard proto/burraco/v1/*.proto)
JOBS ?= 2

.PHONY: run test check setup prometheus proto format bench bench-peers load chaos fuzz-wire crowd soak battery leaks fuzz mutants compiled image-check clean

run: $(READY)
	$(BIN)/burraco arena random greedy club --boards 24 --seed 1 --out out/arena --force

test: $(READY) prometheus
	$(BIN)/pytest -n $(JOBS) -q

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

# Debian's prometheus for the tests of deploy/, unpacked beside the environment.
prometheus: $(READY)
	bash tests/deploy/fetch_prometheus.sh $(VENV)/prometheus

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against '.git#branch=main'
	$(MAKE) proto
	git diff --exit-code --stat -- proto/gen
	$(MAKE) test

format: $(READY)
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/buf format --write

# The wire contract as Python; the result is committed and `make check` says when it is stale.
proto: $(READY)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m grpc_tools.protoc -Iproto --python_out=proto/gen --grpc_python_out=proto/gen \
		--mypy_out=quiet:proto/gen --mypy_grpc_out=quiet,only_async:proto/gen $(PROTOS)

# Ratios against a yardstick of the same run; see docs/measurements.md for the last figures.
bench: $(READY)
	$(BIN)/python -m tests.bench

# Other projects' card engines in the same run, in an environment of its own.
bench-peers: $(READY)
	$(BIN)/python -m tests.bench.peers

# The rules' code, changed by one small step at a time: do the tests notice?
mutants:
	$(PYTHON) -m venv .venv-mutants
	.venv-mutants/bin/python -m pip install --quiet --constraint constraints.txt mutmut pytest pytest-asyncio pytest-timeout hypothesis grpcio googleapis-common-protos
	.venv-mutants/bin/python -m tests.mutants --jobs $(JOBS)

# The engine as machine code, in an environment of its own; `make test` runs the source.
compiled:
	$(PYTHON) -m venv .venv-compiled
	.venv-compiled/bin/python -m pip install --quiet --constraint constraints.txt '.[dev]'
	.venv-compiled/bin/python -m pip install --quiet --no-cache-dir --no-deps --force-reinstall .
	.venv-compiled/bin/pytest -n $(JOBS) -q tests/engine tests/wire tests/bots

# What the Dockerfile does, done here.
image-check: $(READY)
	$(BIN)/python -m tests.deploy.image

load: $(READY)
	$(BIN)/burraco load --matches 200

# Kills, freezes, full disks and broken connections under fifty matches, on each store; every fail point
# twenty times with each of three seeds; a connection killed after each frame of a match. Half an hour.
chaos: $(READY)
	$(BIN)/python -m tests.faults chaos --matches 50 --kills 100 --freezes 20 --full-disks 5 \
		--database-kills 30 --database-freezes 20 --disconnects 25
	for seed in 1 2 3; do $(BIN)/python -m tests.faults chaos --store sqlite --matches 50 --points 20 --seed $$seed || exit 1; done
	$(BIN)/python -m tests.faults positions

# A million malformed messages in process and 100,000 over the wire.
fuzz-wire: $(READY)
	$(BIN)/python -m tests.faults fuzz

# 500 readers that never read; 2,000 bots that come back at once; each first at another server. Four minutes.
crowd: $(READY)
	$(BIN)/python -m tests.faults crowd

# Decisions by the hundred thousand: memory stays flat.
soak: $(READY)
	$(BIN)/python -m tests.faults soak

# The statistics of the shuffle.
battery: $(READY)
	$(BIN)/python -m tests.battery

# A million pairs of worlds that one seat cannot tell apart: nothing it is sent may differ.
leaks: $(READY)
	$(BIN)/python -m tests.leaks --pairs 1000000 --jobs $(JOBS)

# The engine against the reference model, deal after deal; DEALS and SEED as you like.
DEALS ?= 20000
SEED ?= 1
fuzz: $(READY) leaks
	$(BIN)/python -m tests.reference.fuzz --deals $(DEALS) --seed $(SEED) --jobs $(JOBS)

clean:
	rm -rf $(VENV) .venv-compiled .venv-mutants out build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
