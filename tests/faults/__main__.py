"""Long runs of faults: ``python -m tests.faults --help``."""

import argparse
import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.faults.chaos import Plan, chaos
from tests.server.postgres import serving_postgres


def main() -> int:
    """Exit status 1 when a promise was broken."""
    arguments = _arguments()
    wrong = 0
    for store in arguments.store or ("sqlite", "postgres"):
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="burraco-")))
            database = None
            if store == "postgres":
                postgres = stack.enter_context(serving_postgres(is_durable=True))
                database = postgres.make_database().render_as_string(hide_password=False)
            plan = Plan(
                matches=arguments.matches,
                kills=arguments.kills,
                freezes=arguments.freezes,
                cuts=arguments.cuts,
                deals=arguments.deals,
                seed=arguments.seed,
                seconds=arguments.seconds,
            )
            outcome = asyncio.run(chaos(folder, database, plan))
            print(f"{store}:", *outcome.lines(), sep="\n  ", flush=True)
            wrong += len(outcome.wrong)
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", action="append", choices=("sqlite", "postgres"), help="or both")
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--deals", type=int, default=2, help="deals of a match")
    parser.add_argument("--kills", type=int, default=100, help="SIGKILLs of the server")
    parser.add_argument("--freezes", type=int, default=10, help="SIGSTOPs of the server")
    parser.add_argument("--cuts", type=int, default=300, help="broken connections")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1800, help="the most it may take")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
