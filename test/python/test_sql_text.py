"""Drawn queries give SQLite the same rows as they are written and as we write them; scripts with drawn damage are read, or
refused in words.

TESSERA_DRAWN_QUERIES is how many queries are drawn, TESSERA_DAMAGED_SCRIPTS how many scripts are damaged.
"""
import os
import pathlib
import random
import re
import sqlite3

import pytest

import sql_drawing
import sql_text

BATCHES = 4
CORPUS = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "sql"
PARTS = re.compile(r"\s+|\w+|'[^']*'|\.\.\.|::|.", re.S)
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


def damaged(random, parts):
    """The parts of a script with some lost, doubled, exchanged or put elsewhere."""
    parts = list(parts)
    for _ in range(random.choice([1, 1, 2, 5])):
        at, other = random.randrange(len(parts)), random.randrange(len(parts))
        change = random.choice(["lose", "double", "exchange", "copy", "replace"])
        if change == "lose" and len(parts) > 5:
            del parts[at:at + random.choice([1, 1, 3])]
        elif change == "double":
            parts[at:at] = parts[at:at + random.choice([1, 3, 30])]
        elif change == "exchange":
            parts[at], parts[other] = parts[other], parts[at]
        elif change == "copy":
            parts.insert(at, parts[other])
        else:
            parts[at] = random.choice(list("()[];,.:'\"$-*") + ["...", "SELECT", "FROM", "UNION", "VALUES", "AS", "CASE", "END"])
    return "".join(parts)


def test_damaged_scripts_are_refused_in_words(ask):
    scripts = [statement for file in sorted(CORPUS.iterdir()) for statement in file.read_text().split(";") if statement.strip()]
    read = 0
    num_scripts = int(os.environ.get("TESSERA_DAMAGED_SCRIPTS", 4000))
    for number in range(num_scripts):
        draw = random.Random(number)
        script = damaged(draw, PARTS.findall(draw.choice(scripts)))
        answer = ask(script)
        assert "internal error" not in answer, f"{script}\n{answer}"
        read += not answer.startswith("error: ")
    assert 0 < read < num_scripts
