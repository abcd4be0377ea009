#!/usr/bin/python3
"""Every query of test/cases/sql_cases.json, read and written again for SQLite: its rows are the stored ones, and come in
the order in which SQLite gives them for the query as it was written.

  run_sql_cases.py [ID...]
"""
import collections
import json
import pathlib
import sqlite3
import sys

import sql_text

CASES = pathlib.Path(__file__).resolve().parent.parent / "cases" / "sql_cases.json"
TOLERANCE = 1e-6  # the cases are stored with six decimals


def normal(value):
    """Values that count as equal, made equal: the cases are stored as text."""
    if value is None:
        return "NULL"
    try:
        return round(float(value) / TOLERANCE)
    except ValueError:
        return value


def multiset(rows):
    return collections.Counter(tuple(normal(value) for value in row) for row in rows)


def problem_of(case, ask):
    """What is wrong with a case, or nothing."""
    text = ask(case["query"])
    if text.startswith("error: "):
        return text
    database = sqlite3.connect(":memory:")
    for statement in case["setup"]:
        if ask(statement).startswith("error: "):
            return f"{statement}: {ask(statement)}"
        database.execute(statement)
    rows = database.execute(text).fetchall()
    if multiset(rows) != multiset(case["expected_rows"]):
        return f"{text}\n  gives {rows}\n  and not {case['expected_rows']}"
    if rows != database.execute(case["query"]).fetchall():
        return f"{text}\n  gives {rows} in another order than the query as it was written"
    return None


def main(arguments):
    cases = json.loads(CASES.read_text())["cases"]
    chosen = [case for case in cases if not arguments or case["id"] in arguments]
    ask = sql_text.SqlText()
    problems = {case["id"]: problem_of(case, ask) for case in chosen}
    ask.close()
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    failed = sum(problem is not None for problem in problems.values())
    print(f"{len(chosen) - failed} of {len(chosen)} cases")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
