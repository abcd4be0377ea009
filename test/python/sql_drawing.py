"""Draws SELECTs of the standard subset that PostgreSQL's grammar and SQLite's read alike."""

TABLES = {"t": ["a", "b", "c"], "u": ["a", "d", "e"], "v": ["k", "b"]}
TEXTS = {"c", "e"}
TEXT_VALUES = ["'x'", "'ab'", "'it''s'", "''"]

SETUP = [
    "CREATE TABLE t(a INTEGER, b INTEGER, c TEXT)",
    "INSERT INTO t VALUES (1,2,'x'),(2,NULL,'ab'),(3,4,NULL),(3,4,'x'),(NULL,-1,''),(7,0,'it''s')",
    "CREATE TABLE u(a INTEGER, d INTEGER, e TEXT)",
    "INSERT INTO u VALUES (1,1,'x'),(3,NULL,'y'),(4,2,'ab'),(NULL,NULL,NULL)",
    "CREATE TABLE v(k INTEGER, b INTEGER)",
    "INSERT INTO v VALUES (2,4),(0,-1),(5,5)",
]


class Drawing:
    """One drawn query. Its random numbers come from `random`; it says nothing that SQLite and PostgreSQL read differently:
    operators that bind differently get parentheses."""

    def __init__(self, random):
        self.random = random
        self.depth = 0
        self.names = 0

    def one_of(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def new_name(self):
        self.names += 1
        return f"n{self.names}"

    def columns(self, scope, is_text):
        return [f"{alias}.{name}" for alias, names in scope for name, text in names if text == is_text]

    # Expressions -------------------------------------------------------------------------------------------------------

    def number(self, scope):
        self.depth += 1
        choices = [self.number_leaf] * 3
        if self.depth < 4:
            choices += [self.arithmetic, self.arithmetic, self.case, self.number_call, self.cast, self.negative, self.scalar_query,
                        self.bits]
        drawn = self.random.choice(choices)(scope)
        self.depth -= 1
        return drawn

    def number_leaf(self, scope):
        columns = self.columns(scope, False)
        if columns and self.chance(0.7):
            return self.random.choice(columns)
        return self.one_of("0", "1", "2", "7", "NULL", "2.5")

    def arithmetic(self, scope):
        left, right = self.number(scope), self.number(scope)
        drawn = f"{left} {self.one_of('+', '-', '*', '/', '%')} {right}"
        return drawn if self.chance(0.4) else f"({drawn})"

    def bits(self, scope):
        left, right = self.number(scope), self.number(scope)
        return f"(({left}) {self.one_of('&', '|')} ({right}))"

    def negative(self, scope):
        return f"(-({self.number(scope)}))"

    def case(self, scope):
        otherwise = f" ELSE {self.number(scope)}" if self.chance(0.6) else ""
        if self.chance(0.5):
            return f"CASE WHEN {self.truth(scope)} THEN {self.number(scope)}{otherwise} END"
        return f"CASE {self.number_leaf(scope)} WHEN {self.number_leaf(scope)} THEN {self.number(scope)}{otherwise} END"

    def number_call(self, scope):
        function = self.one_of("abs", "coalesce", "nullif", "length", "count_of")
        if function == "abs":
            return f"abs({self.number(scope)})"
        if function == "length":
            return f"length({self.text(scope)})"
        if function == "count_of":
            return f"(SELECT count(*) FROM v WHERE v.k > {self.number_leaf(scope)})"
        return f"{function}({self.number(scope)}, {self.number(scope)})"

    def cast(self, scope):
        return f"CAST({self.number(scope)} AS {self.one_of('INTEGER', 'REAL')})"

    def scalar_query(self, scope):
        return f"(SELECT {self.one_of('max', 'min', 'sum')}(v.k) FROM v WHERE v.b = {self.number_leaf(scope)})"

    def text(self, scope):
        columns = self.columns(scope, True)
        leaf = self.random.choice(columns) if columns and self.chance(0.7) else self.random.choice(TEXT_VALUES)
        if self.chance(0.8):
            return leaf
        return self.one_of(f"upper({leaf})", f"({leaf} || 'z')", f"CAST({self.number_leaf(scope)} AS TEXT)")

    def truth(self, scope):
        self.depth += 1
        choices = [self.comparison] * 3 + [self.is_null, self.text_comparison]
        if self.depth < 4:
            choices += [self.logical] * 3 + [self.negation, self.between, self.in_list, self.in_query, self.exists, self.like,
                                             self.truth_test, self.distinct]
        drawn = self.random.choice(choices)(scope)
        self.depth -= 1
        return drawn

    def comparison(self, scope):
        left, right = self.number(scope), self.number(scope)
        return f"({left}) {self.one_of('=', '<>', '!=', '<', '<=', '>', '>=')} ({right})"

    def text_comparison(self, scope):
        left, right = self.text(scope), self.text(scope)
        return f"{left} {self.one_of('=', '<>', '<')} {right}"

    def is_null(self, scope):
        return f"{self.number_leaf(scope)} IS {self.one_of('NULL', 'NOT NULL')}"

    def distinct(self, scope):
        left, right = self.number_leaf(scope), self.number_leaf(scope)
        return f"{left} IS {self.one_of('', 'NOT ')}DISTINCT FROM {right}"

    def truth_test(self, scope):
        return f"({self.truth(scope)}) IS {self.one_of('TRUE', 'NOT TRUE', 'FALSE', 'NOT FALSE', 'NULL')}"

    def logical(self, scope):
        left, right = self.truth(scope), self.truth(scope)
        drawn = f"{left} {self.one_of('AND', 'OR')} {right}"
        return drawn if self.chance(0.4) else f"({drawn})"

    def negation(self, scope):
        return f"NOT {self.truth(scope)}" if self.chance(0.5) else f"NOT ({self.truth(scope)})"

    def between(self, scope):
        low, high = self.number_leaf(scope), self.number_leaf(scope)
        return f"{self.number_leaf(scope)} {self.one_of('', 'NOT ')}BETWEEN {low} AND {high}"

    def in_list(self, scope):
        values = ", ".join(self.number(scope) for _ in range(self.random.randint(1, 3)))
        return f"{self.number_leaf(scope)} {self.one_of('', 'NOT ')}IN ({values})"

    def in_query(self, scope):
        return f"{self.number_leaf(scope)} {self.one_of('', 'NOT ')}IN (SELECT k FROM v WHERE v.b > {self.number_leaf(scope)})"

    def exists(self, scope):
        return f"{self.one_of('', 'NOT ')}EXISTS (SELECT 1 FROM v WHERE v.k = {self.number_leaf(scope)})"

    def like(self, scope):
        pattern = self.one_of("'%x%'", "'a_'", "'%'", "'i%s'")
        escape = " ESCAPE '!'" if self.chance(0.2) else ""
        return f"{self.text(scope)} {self.one_of('', 'NOT ')}LIKE {pattern}{escape}"

    # FROM ----------------------------------------------------------------------------------------------------------------

    def table(self):
        """A table or a query, and what its alias sees."""
        alias = self.new_name()
        if self.chance(0.2):
            query, names = self.plain_select(1)
            return f"({query}) AS {alias}", (alias, names)
        name = self.random.choice(list(TABLES))
        names = [(column, column in TEXTS) for column in TABLES[name]]
        return f"{name} {self.one_of('AS ', '')}{alias}", (alias, names)

    def joined(self, kinds=("JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "CROSS JOIN", "RIGHT JOIN", "FULL OUTER JOIN")):
        text, visible = self.table()
        scope = [visible]
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            right, seen = self.table()
            kind = self.random.choice(kinds)
            scope.append(seen)
            text += f" {kind} {right}" + ("" if kind == "CROSS JOIN" else f" ON {self.truth(scope)}")
        return text, scope

    def sources(self):
        text, scope = self.joined()
        if self.chance(0.2):
            # SQLite joins a RIGHT or FULL JOIN with all that stands before it, commas too.
            more, seen = self.joined(("JOIN", "LEFT JOIN", "CROSS JOIN"))
            text, scope = f"{text}, {more}", scope + seen
        return text, scope

    # Queries -------------------------------------------------------------------------------------------------------------

    def plain_select(self, num_numbers):
        """SELECT of so many numbers and maybe a text, without anything behind WHERE."""
        source, scope = self.sources()
        names = []
        targets = []
        for _ in range(num_numbers):
            name = self.new_name()
            targets.append(f"{self.number(scope)} AS {name}")
            names.append((name, False))
        where = f" WHERE {self.truth(scope)}" if self.chance(0.6) else ""
        distinct = "DISTINCT " if self.chance(0.15) else ""
        return f"SELECT {distinct}{', '.join(targets)} FROM {source}{where}", names

    def grouped_select(self, num_numbers):
        source, scope = self.sources()
        key = self.number_leaf(scope)
        if key[0].isdigit():  # a number would be the place of a result
            key = f"({key} + 0)"
        aggregates = []
        for _ in range(num_numbers - 1):
            argument = self.number(scope)
            distinct = self.one_of("", "", "DISTINCT ")
            aggregate = self.one_of(f"sum({distinct}{argument})", "count(*)", f"count({distinct}{argument})", f"min({argument})",
                                    f"max({argument})", f"avg({argument})")
            if self.chance(0.2):
                aggregate += f" FILTER (WHERE {self.truth(scope)})"
            aggregates.append(aggregate)
        where = f" WHERE {self.truth(scope)}" if self.chance(0.4) else ""
        having = f" HAVING count(*) > {self.random.randint(0, 2)}" if self.chance(0.4) else ""
        return f"SELECT {', '.join([key, *aggregates])} FROM {source}{where} GROUP BY {key}{having}"

    def window_select(self, num_numbers):
        source, scope = self.sources()
        targets = []
        for _ in range(num_numbers):
            partition = f"PARTITION BY {self.number_leaf(scope)}" if self.chance(0.6) else ""
            frame = self.one_of("", " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                                " GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
                                " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES")
            function = self.one_of(f"sum({self.number_leaf(scope)})", "count(*)", "rank()", "dense_rank()")
            key = self.number_leaf(scope)
            targets.append(f"{function} OVER ({partition} ORDER BY {key}{self.one_of('', ' DESC', ' NULLS LAST')}{frame})")
        return f"SELECT {', '.join(targets)} FROM {source}"

    def one_select(self, num_numbers):
        drawn = self.random.random()
        if drawn < 0.6:
            return self.plain_select(num_numbers)[0]
        return self.grouped_select(num_numbers) if drawn < 0.85 else self.window_select(num_numbers)

    def query(self):
        """A query whose order, if it has one, is whole."""
        num_numbers = self.random.randint(1, 3)
        text = self.one_select(num_numbers)
        for _ in range(self.random.choice([0, 0, 0, 1, 2])):
            # PostgreSQL's INTERSECT binds tighter than the others, SQLite's does not: it comes first or not at all.
            word = self.one_of("UNION", "UNION ALL", "EXCEPT")
            text += f" {word} {self.one_select(num_numbers)}"
        keys = list(range(1, num_numbers + 1))
        self.random.shuffle(keys)
        order = ", ".join(f"{key}{self.one_of('', ' ASC', ' DESC')}{self.one_of('', '', ' NULLS FIRST', ' NULLS LAST')}" for key in keys)
        tail = f" ORDER BY {order}"
        if self.chance(0.4):
            tail += f" LIMIT {self.random.randint(0, 4)}" + self.one_of("", " OFFSET 1")
        if self.chance(0.2):
            return f"WITH w AS ({text}) SELECT * FROM w{tail}"
        return text + tail
