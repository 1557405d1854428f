"""Brings the tables of a database to the shape that this version reads."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, inspect, select, text

from burraco.server import migrations

# Revision of the databases that were made before there were migrations.
_UNMARKED: Final = "0001"
# Any number that no other program locks in the same database.
_LOCK: Final = 0x6275_7272_6163_6F


class SchemaRefused(Exception):
    """The database has tables that this version cannot use; the text says why and what to do."""


def migrate(connection: Connection) -> None:
    """Make the tables, or change older ones, within the transaction that is open."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    config = _config(connection)
    found = MigrationContext.configure(connection).get_current_heads()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    for revision in found:
        if revision not in known:
            raise _newer(revision)
    if not found and _is_unmarked(connection):
        command.stamp(config, _UNMARKED)
    command.upgrade(config, "head")


def _config(connection: Connection) -> Config:
    config = Config()
    folder = str(Path(migrations.__file__).parent)
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _is_unmarked(connection: Connection) -> bool:
    """Whether the tables are those of the time before migrations, with their own version."""
    if not inspect(connection).has_table("schema"):
        return False
    version = connection.execute(text("SELECT version FROM schema")).scalar()
    if version not in (None, 1):
        raise _newer(str(version))
    return True


def _newer(revision: str) -> SchemaRefused:
    return SchemaRefused(
        f"its tables are of revision {revision}, which this version does not know;"
        " use the version of burraco that wrote them, or a newer one"
    )
