"""`random`: any legal action, each as likely as the others."""

from random import Random

from burraco.sdk import Action, Bot, Table, View


class RandomBot(Bot):
    """Plays at random, but the same in every run of the same match and seat."""

    def start(self, table: Table) -> None:
        """Seed the generator from match and seat."""
        self._random = Random(f"{table.match_id}/{table.seat}")

    def decide(self, view: View) -> Action:
        """Choose one of the legal actions."""
        return self._random.choice(view.legal)
