"""Tests of every package; a package of its own so that no installed ``tests`` takes its place."""
