"""Tournaments as pure functions: pairings, places, intervals, ratings; no clock, no network."""
