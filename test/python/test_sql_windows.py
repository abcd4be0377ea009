"""Drawn windows over tensors and over numbers, beside a model that collects the rows of each frame.

TESSERA_DRAWN_WINDOWS is how many statements are drawn for each seed.
"""
import os

import numpy as np
import pytest

from test_sql import array, database  # noqa: F401 (a fixture)

NUM_DRAWN = int(os.environ.get("TESSERA_DRAWN_WINDOWS", 60))
NUM_ROWS = 23


class Row:
    """A row of t(k, g, j, x, v, w, f): `k` is its number; `j` has equal ones and NULL; `x` and `v` are NULL in some rows."""

    def __init__(self, k, random):
        def maybe(value, share):
            return None if random.random() < share else value

        self.k, self.g, self.f = k, int(random.integers(0, 3)), int(random.integers(0, 3) > 0)
        self.j = maybe(int(random.integers(0, 8)), 0.1)
        self.x = maybe(int(random.integers(-5, 6)), 0.2)
        self.v = maybe(random.integers(-5, 6, 2), 0.2)
        self.w = random.integers(-128, 128, 1)

    def text(self):
        values = [self.k, self.g, self.j, self.x, self.v, self.w, self.f]
        return "(" + ", ".join("NULL" if value is None else array(value) if isinstance(value, np.ndarray) else str(value) for value in values) + ")"


class Window:
    """A window, its text, and the rows of the frame of each row."""

    def __init__(self, random):
        def one_of(*choices):
            return choices[random.integers(0, len(choices))]

        self.unit = one_of("ROWS", "RANGE", "GROUPS", None)
        self.partition = one_of(None, None, "g", "f")
        self.is_descending = one_of(True, False)
        offsets = self.unit == "RANGE" and one_of(True, False)
        # Rows with equal keys have no order that ROWS could tell.
        self.keys = ["j", "k"] if self.unit == "ROWS" and one_of(True, False) else ["k"] if self.unit == "ROWS" else ["j"]
        if self.unit in ("RANGE", None) and not offsets and one_of(True, False, False, False):
            self.keys = []
        self.begin, self.end = ("preceding", None), ("current", 0)
        if self.unit:
            kinds = ["preceding", "current", "following"]
            first = int(random.integers(0, 3))
            last = int(random.integers(first, 3))
            bounded = self.unit != "RANGE" or offsets
            self.begin = (kinds[first], self.offset(kinds[first], "following", bounded, random))
            self.end = (kinds[last], self.offset(kinds[last], "preceding", bounded, random))
            if not bounded:  # frames of peers: unbounded, or of the current row
                self.begin = self.begin if first < 2 else ("current", 0)
                self.end = self.end if last > 0 else ("current", 0)

    @staticmethod
    def offset(kind, never_unbounded, bounded, random):
        """How far a bound is away; None if it is unbounded."""
        if kind == "current":
            return 0
        if kind != never_unbounded and (not bounded or random.random() < 0.25):
            return None
        return int(random.integers(0, 6))

    def text(self):
        bounds = [kind.upper() if kind != "current" and offset is None else f"{offset} {kind.upper()}" if kind != "current" else "CURRENT ROW"
                  for kind, offset in (self.begin, self.end)]
        bounds = [f"UNBOUNDED {bound}" if bound in ("PRECEDING", "FOLLOWING") else bound for bound in bounds]
        order = ", ".join(key + (" DESC" if self.is_descending else "") for key in self.keys)
        parts = [f"PARTITION BY {self.partition}" if self.partition else "", f"ORDER BY {order}" if order else "",
                 f"{self.unit} BETWEEN {bounds[0]} AND {bounds[1]}" if self.unit else ""]
        return " ".join(part for part in parts if part)

    def key(self, row):
        """What orders a row: NULL is less than all else."""
        values = [(0, 0) if getattr(row, key) is None else (1, getattr(row, key)) for key in self.keys]
        return [(-a, -b) for a, b in values] if self.is_descending else values

    def in_order(self, row, rows):
        """The partition of a row, in the window's order."""
        return sorted((other for other in rows if not self.partition or getattr(other, self.partition) == getattr(row, self.partition)), key=self.key)

    def frame(self, row, rows):
        partition = self.in_order(row, rows)
        groups = sorted({tuple(self.key(other)) for other in partition})

        def place(other):
            if self.unit == "ROWS":
                return partition.index(other)
            if self.unit == "GROUPS":
                return groups.index(tuple(self.key(other)))
            return self.key(other)

        def distance(bound):
            kind, offset = bound
            return None if offset is None else -offset if kind == "preceding" else offset

        low, high = distance(self.begin), distance(self.end)
        if self.unit in ("ROWS", "GROUPS"):
            here = place(row)
            return [other for other in partition if (low is None or place(other) >= here + low) and (high is None or place(other) <= here + high)]

        def moved(by):
            """The key at a distance from that of the row; NULL is at no distance from anything but NULL."""
            here = self.key(row)
            return [(here[0][0], here[0][1] + by)] if len(here) == 1 and here[0][0] != 0 else here

        return [other for other in partition if (low is None or place(other) >= moved(low)) and (high is None or place(other) <= moved(high))]


def there(values):
    return [value for value in values if value is not None]


def merged(function):
    """An aggregate that leaves NULL out; of nothing NULL."""
    return lambda values: function(there(values)) if there(values) else None


def at(place):
    return lambda values: values[place] if -len(values) <= place < len(values) else None


AGGREGATES = {"sum": merged(lambda values: sum(values)), "avg": merged(lambda values: sum(values) / len(values)),
              "min": merged(lambda values: np.min(values, 0)), "max": merged(lambda values: np.max(values, 0)), "count": lambda values: len(there(values))}
PICKS = {"first_value({})": at(0), "last_value({})": at(-1), "nth_value({}, 2)": at(1)}
OF_TENSORS = {"prod": merged(lambda values: np.prod(values, 0)), "bool_or": merged(lambda values: np.any(values, 0)),
              "every": merged(lambda values: np.all(values, 0))}


def drawn_target(random):
    """What is computed over a window: its text before OVER, the values of rows, whether a FILTER is there, and the model."""
    column = "xvw"[random.integers(0, 3)]
    kind = random.integers(0, 4)
    if kind == 0:
        text = list(PICKS)[random.integers(0, len(PICKS))]
        return text.format(column), lambda row: getattr(row, column), False, PICKS[text]
    if kind == 1 and column != "x":
        name = list(OF_TENSORS)[random.integers(0, len(OF_TENSORS))]
        # Few factors, and of small numbers, have a product that is exact.
        argument, value = (f"{column} % 2", lambda row: None if getattr(row, column) is None else getattr(row, column) % 2)
        if name != "prod":
            argument, value = f"{column} > 0", lambda row: None if getattr(row, column) is None else getattr(row, column) > 0
    else:
        name = list(AGGREGATES)[random.integers(0, len(AGGREGATES))]
        argument, value = column, lambda row: getattr(row, column)
    has_filter = random.random() < 0.3
    return f"{name}({argument})" + (" FILTER (WHERE f)" if has_filter else ""), value, has_filter, {**AGGREGATES, **OF_TENSORS}[name]


def equal(found, wanted):
    if found is None or wanted is None:
        return found is None and wanted is None
    return np.array_equal(np.asarray(found, float), np.asarray(wanted, float))


@pytest.mark.parametrize("seed", range(2))
def test_drawn_windows(database, seed):
    random = np.random.default_rng(seed)
    rows = [Row(k, random) for k in range(NUM_ROWS)]
    database.run("CREATE TABLE t(k int, g int, j int, x int, v vector[2], w vector(i8)[1], f boolean); "
                 f"INSERT INTO t VALUES {', '.join(row.text() for row in rows)}")
    drawn = []
    for _ in range(NUM_DRAWN):
        window = Window(random)
        drawn.append((window, [drawn_target(random) for _ in range(random.integers(1, 4))]))
    statements = [f"SELECT {', '.join(f'{text} OVER w AS a{place}' for place, (text, *_) in enumerate(targets))} "
                  f"FROM t WINDOW w AS ({window.text()}) ORDER BY k" for window, targets in drawn]
    for statement, (window, targets), found in zip(statements, drawn, database.run(";".join(statements))):
        for row, one in zip(rows, found):
            frame = window.frame(row, rows)
            for place, (_, value, has_filter, model) in enumerate(targets):
                wanted = model([value(other) for other in frame if other.f or not has_filter])
                assert equal(one[f"a{place}"], wanted), f"{statement}\nrow {row.k}, a{place}: {one[f'a{place}']}, not {wanted}"
