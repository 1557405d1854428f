"""Finding a bot, and what is said when there is none."""

from pathlib import Path

import pytest

from burraco.bots.club import ClubBot
from burraco.sdk import Bot, BotNotFound, load_bot
from burraco.sdk.loader import installed_bots

BOT = """\
from burraco.sdk import Bot
class {}(Bot):
    def decide(self, view):
        return view.legal[0]
"""

ABSTRACT = "from burraco.sdk import Bot\nclass Half(Bot):\n    pass\n"
CURIOUS = BOT.format("Curious") + "    def __init__(self, depth):\n        self.depth = depth\n"


def written(folder: Path, text: str) -> str:
    path = folder / "my_bot.py"
    path.write_text(text)
    return str(path)


def test_the_one_bot_of_a_file(tmp_path: Path) -> None:
    bot = load_bot(written(tmp_path, BOT.format("Mine")))
    assert issubclass(bot, Bot)
    assert bot.__name__ == "Mine"


def test_a_bot_by_its_class(tmp_path: Path) -> None:
    spec = written(tmp_path, BOT.format("One") + BOT.format("Two"))
    assert load_bot(f"{spec}:Two").__name__ == "Two"


def test_a_bot_that_is_only_imported_does_not_count(tmp_path: Path) -> None:
    text = "from burraco.bots.club import ClubBot\n" + BOT.format("Mine").replace(
        "(Bot)", "(ClubBot)"
    )
    assert load_bot(written(tmp_path, text)).__name__ == "Mine"


def test_what_other_bots_of_the_file_are_made_of_is_no_second_bot(tmp_path: Path) -> None:
    whole = "class Whole(Half):\n    def decide(self, view):\n        return view.legal[0]\n"
    assert load_bot(written(tmp_path, ABSTRACT + whole)).__name__ == "Whole"


def test_a_bot_may_import_the_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_my_bot.py").write_text("ANSWER = 0\n")
    text = "from beside_my_bot import ANSWER\n" + BOT.format("Mine")
    assert load_bot(written(tmp_path, text)).__name__ == "Mine"


def test_an_installed_bot_by_name() -> None:
    assert {"random", "greedy", "club", "illegal", "sleeping", "crashing"} <= set(installed_bots())
    assert load_bot("club") is ClubBot


@pytest.mark.parametrize(
    ("text", "choice", "said"),
    [
        ("x = 1\n", "", r"has no bot: write a class Name\(Bot\)"),
        (BOT.format("One") + BOT.format("Two"), "", r"several bots \(One, Two\): choose one as in"),
        (BOT.format("One"), ":Two", "has no bot 'Two': it has One"),
        ("def f(:\n", "", "SyntaxError"),
        (ABSTRACT, "", r"Half has no decide: write decide\(self, view\)"),
        (ABSTRACT, ":Half", "Half has no decide"),
        (CURIOUS, "", r"Curious\(\) fails, missing .*'depth': bots are made without arguments"),
    ],
    ids=["none", "several", "no such class", "syntax error", "no decide", "by name", "arguments"],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, choice: str, said: str) -> None:
    with pytest.raises(BotNotFound, match=said):
        load_bot(written(tmp_path, text) + choice)


def test_an_import_error_shows_the_authors_traceback_alone(tmp_path: Path) -> None:
    spec = written(tmp_path, "def broken():\n    return 1 / 0\n\nbroken()\n")
    with pytest.raises(BotNotFound) as caught:
        load_bot(spec)
    said = str(caught.value)
    assert f'File "{spec}", line 4' in said
    assert "return 1 / 0" in said
    assert "ZeroDivisionError" in said
    assert "loader.py" not in said
    assert "importlib" not in said


def test_no_such_file_and_no_such_name() -> None:
    with pytest.raises(BotNotFound, match=r"no file nowhere\.py: check the path"):
        load_bot("nowhere.py")
    with pytest.raises(BotNotFound, match=r"no bot 'clubb': give a file .*club"):
        load_bot("clubb")
