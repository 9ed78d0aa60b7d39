"""The store brings itself up to date, can be taken back, and says what is wrong with one it cannot open."""

import stat

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from bot.store.database import downgrade, newest_revision, open_database, upgrade
from bot.store.interface import StoreError
from bot.store.tables import metadata
from tests.bot.store.kept import opened, url_of


def _differences(connection):
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return compare_metadata(context, metadata)


def _tables(connection):
    return set(inspect(connection).get_table_names()) - {"alembic_version", "sqlite_sequence"}


async def test_the_migrations_lead_to_the_tables_that_the_code_uses(tmp_path):
    async with opened(tmp_path) as database, database.writing() as connection:
        assert await connection.run_sync(_differences) == []
        assert await connection.run_sync(_tables) == set(metadata.tables)


async def test_the_migrations_can_be_taken_back_and_run_again(tmp_path):
    async with opened(tmp_path) as database:
        async with database.writing() as connection:
            await connection.run_sync(lambda sync: downgrade(sync, "base"))
            assert await connection.run_sync(_tables) == set()

        async with database.writing() as connection:
            await connection.run_sync(upgrade)
            assert await connection.run_sync(_tables) == set(metadata.tables)


async def test_opening_twice_changes_nothing(tmp_path):
    async with opened(tmp_path):
        pass

    async with opened(tmp_path) as database, database.reading() as connection:
        found = (await connection.exec_driver_sql("SELECT version_num FROM alembic_version")).scalar_one()

    assert found == newest_revision()


async def test_a_file_of_sqlite_is_private_journaled_and_strict_about_references(tmp_path):
    async with opened(tmp_path / "new") as database, database.reading() as connection:
        journal = (await connection.exec_driver_sql("PRAGMA journal_mode")).scalar_one()
        keys = (await connection.exec_driver_sql("PRAGMA foreign_keys")).scalar_one()
        timeout = (await connection.exec_driver_sql("PRAGMA busy_timeout")).scalar_one()

    assert (journal, keys, timeout) == ("wal", 1, 10_000)
    assert stat.S_IMODE((tmp_path / "new" / "store.db").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


async def test_what_must_last_waits_for_the_disk_and_the_rest_does_not(tmp_path):
    async with opened(tmp_path) as database:
        levels = []
        for lasting in (False, True, False):
            async with database.writing(lasting=lasting) as connection:
                levels.append((await connection.exec_driver_sql("PRAGMA synchronous")).scalar_one())

    normal, full = 1, 2
    assert levels == [normal, full, normal]


async def test_a_file_that_is_no_store_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "store.db").write_text("this is no database at all " * 100)

    with pytest.raises(StoreError, match="not a database") as caught:
        await open_database(url_of(tmp_path))

    assert "store.db" in caught.value.where


async def test_a_store_of_a_newer_program_is_refused(tmp_path):
    async with opened(tmp_path) as database, database.writing() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'from-the-future'")

    with pytest.raises(StoreError, match="newer release"):
        await open_database(url_of(tmp_path))


@pytest.mark.parametrize("url", ["no address", "sqlite+nothing:///x", "mysql+none://u:secret@h/db"])
async def test_an_address_that_cannot_be_used_is_refused_without_its_password(url):
    with pytest.raises(StoreError) as caught:
        await open_database(url)

    assert "secret" not in str(caught.value)
    assert "store.url" in str(caught.value)
