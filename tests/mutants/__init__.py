"""Mutation testing: does a test notice when the engine is changed by one small step?

Survivors that cannot be noticed are explained in ``survivors.md`` beside this file.
"""
