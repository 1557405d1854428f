"""Tournaments on a live server: their logs, who directs them, and what is shown of them."""
