"""Faults that are really injected, and the checker that says whether a promise was broken.

``python -m tests.faults --help`` has the long runs; the short ones are tests of this folder.
"""
