"""The rules a second time, slow and obvious, to hold the engine against.

Written from docs/rules alone and sharing nothing with the engine: a card is its name, cards are
plain tuples of names, a meld is looked up in the list of all melds there are. Only ``adapter``
knows both worlds.
"""
