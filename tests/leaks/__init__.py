"""Hidden information, tried out: worlds that a viewer must not be able to tell apart, compared.

``python -m tests.leaks --pairs 1000000 --jobs 2`` looks for a leak for as long as one likes.
"""
