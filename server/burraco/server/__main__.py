"""``python -m burraco.server`` is ``burraco serve``."""

import argparse
import sys

from burraco.server.commands import add_options, serve

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m burraco.server")
    add_options(parser)
    sys.exit(serve(parser.parse_args()))
