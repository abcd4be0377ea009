"""Drawn queries give SQLite the same rows as they are written and as we write them.

TESSERA_DRAWN_QUERIES is how many are drawn.
"""
import os
import random
import sqlite3

import pytest

import sql_drawing
import sql_text

BATCHES = 4
LONGEST = 300_000  # steps of SQLite's machine for a query as it was written; what takes more is left out


@pytest.fixture(scope="module")
def ask():
    program = sql_text.SqlText()
    yield program
    program.close()


@pytest.fixture(scope="module")
def database():
    connection = sqlite3.connect(":memory:")
    for statement in sql_drawing.SETUP:
        connection.execute(statement)
    return connection


def rows_of(database, query, longest=None):
    """The rows; what SQLite says where it has none; nothing for a query that takes too long."""
    database.set_progress_handler((lambda: 1) if longest else None, longest or 0)
    try:
        return database.execute(query).fetchall()
    except sqlite3.Error as error:
        return None if str(error) == "interrupted" else str(error)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_queries_keep_their_rows(ask, database, batch):
    num_queries = int(os.environ.get("TESSERA_DRAWN_QUERIES", 2400)) // BATCHES
    answered = 0
    for number in range(num_queries):
        query = sql_drawing.Drawing(random.Random(batch * 1_000_003 + number)).query()
        text = ask(query)
        assert not text.startswith("error: "), f"{query}\n{text}"
        rows = rows_of(database, query, LONGEST)
        if rows is not None:
            assert rows_of(database, text) == rows, f"{query}\n{text}"
        answered += isinstance(rows, list)
    assert answered > num_queries * 0.8, f"SQLite answered only {answered} of {num_queries}"
