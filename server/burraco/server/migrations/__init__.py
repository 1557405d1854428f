"""The shapes that a server's tables have had, and how each becomes the next."""
