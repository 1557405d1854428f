"""The server: live tables over an event log, their clocks, and the gRPC services of ``burraco.v1``.

Start it with ``burraco serve``; everything else here is private to it.
"""

__all__: list[str] = []
