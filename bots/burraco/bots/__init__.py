"""House bots, bots that misbehave on purpose, and play without a network."""

from burraco.bots.registry import HOUSE_BOTS, house_bot

__all__ = ["HOUSE_BOTS", "house_bot"]
