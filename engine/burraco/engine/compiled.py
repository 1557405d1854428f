"""Whether the engine runs as machine code; ``build_engine.py`` says how it comes about."""

from burraco.engine import growth


def is_compiled() -> bool:
    """Whether the hot modules were compiled when the package was installed."""
    return not str(growth.__file__).endswith(".py")
