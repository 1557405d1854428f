"""Mutation testing: does a test notice when the engine is changed by one small step?

What no test can notice is explained in ``docs/survivors.md``, change by change.
"""
