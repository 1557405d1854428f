"""The image cannot be built without Docker; what it says can be checked all the same."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.deploy.tools import DEPLOY, ROOT, installed, loaded, run

DOCKERFILE: Final = DEPLOY / "Dockerfile"


def instructions(keyword: str) -> Iterator[str]:
    """What follows a keyword, in every stage, with its lines joined."""
    joined = re.sub(r"\\\n", " ", DOCKERFILE.read_text())
    for line in joined.splitlines():
        word, _, rest = line.partition(" ")
        if word == keyword:
            yield rest.strip()


def test_hadolint_is_content() -> None:
    assert run(installed("hadolint"), DOCKERFILE) == ""


def test_it_runs_as_a_user_that_kubernetes_knows_not_to_be_root() -> None:
    (user,) = instructions("USER")
    assert re.fullmatch(r"[1-9][0-9]*:[1-9][0-9]*", user)


def test_what_it_copies_is_there_and_in_the_context() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for copied in instructions("COPY"):
        if not copied.startswith("--from="):
            for source in shlex.split(copied)[:-1]:
                assert (ROOT / source).exists(), source
                assert f"!{source}" in ignored


def test_the_context_holds_every_root_that_the_wheel_is_made_of() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    packages = build["targets"]["wheel"]["packages"]
    copied = {source for line in instructions("COPY") for source in shlex.split(line)}
    assert {Path(package).parts[0] for package in packages} <= copied


def test_images_are_named_without_the_host_of_a_registry_and_with_a_version() -> None:
    services = loaded(DEPLOY / "compose.yaml")["services"].values()
    named = [line.split()[0] for line in instructions("FROM")]
    named += [service["image"] for service in services if "build" not in service]
    for image in named:
        assert re.fullmatch(r"[a-z-]+(/[a-z-]+)?:[a-z0-9.-]+", image), image
