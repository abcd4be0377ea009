#include <algorithm>

#include <sqlite3.h>

#include "unit/frontend/sql/sql_fixture.h"

namespace tessera::frontend::sql::sqlite_text_test {

namespace {

struct Written {
  const char* text;
  const char* sqlite;
};

void expect_values(std::initializer_list<Written> all) {
  for (const Written& written : all) {
    EXPECT_EQ(value_for_sqlite(written.text), written.sqlite);
  }
}

void expect_queries(std::initializer_list<Written> all) {
  for (const Written& written : all) {
    EXPECT_EQ(for_sqlite(written.text), written.sqlite);
  }
}

/// What SQLite cannot say, as the error says it.
std::string refused(const std::string& script) {
  try {
    return "no error, but " + for_sqlite(script);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << script;
    return error.message();
  }
}

TEST(SqliteText, OfLiterals) {
  expect_values({{"NULL", "NULL"},
                 {"TRUE", "TRUE"},
                 {"'it''s'", "'it''s'"},
                 {"E'a\\'b\\n'", "'a''b\n'"},
                 {"$x$a'b$x$", "'a''b'"},
                 {"U&'\\0041'", "'A'"},
                 {"42", "42"},
                 {".5e3", ".5e3"},
                 {"9223372036854775807", "9223372036854775807"},
                 {"-9223372036854775808", "-9223372036854775808"},
                 {"- -5", "5"},
                 {"-(-a)", "-(-a)"},
                 {"- + - a", "-(+(-a))"}});
  EXPECT_TRUE(std::get<NumberLiteral>(result_of("SELECT 9223372036854775807").of).is_integer);
  EXPECT_FALSE(std::get<NumberLiteral>(result_of("SELECT 9223372036854775808").of).is_integer);
  EXPECT_FALSE(std::get<NumberLiteral>(result_of("SELECT 1.0").of).is_integer);
}

TEST(SqliteText, PutsParenthesesWhereTheyAreNeeded) {
  expect_values({{"(a + b) * c", "(a + b) * c"},
                 {"a + (b * c)", "a + b * c"},
                 {"a - (b - c)", "a - (b - c)"},
                 {"(a - b) - c", "a - b - c"},
                 {"a || b + c", "a || (b + c)"},  // SQLite binds || tighter, PostgreSQL looser
                 {"a + b || c", "(a + b) || c"},
                 {"a & b = c", "a & b = c"},
                 {"(a = b) = c", "(a = b) = c"},
                 {"a = (b < c)", "a = (b < c)"},
                 {"a = b IN (1)", "a = (b IN (1))"},
                 {"NOT a = b", "NOT a = b"},
                 {"(NOT a) = b", "(NOT a) = b"},
                 {"NOT (a AND b)", "NOT (a AND b)"},
                 {"(a OR b) AND c", "(a OR b) AND c"},
                 {"a OR (b AND c)", "a OR b AND c"},
                 {"a BETWEEN (b = c) AND d + 1", "a BETWEEN (b = c) AND d + 1"},
                 {"(a AND b) IS NULL", "(a AND b) IS NULL"},
                 {"-a * b", "-a * b"},
                 {"-(a * b)", "-(a * b)"}});
}

TEST(SqliteText, SpellsTests) {
  expect_values({{"a ISNULL", "a IS NULL"},
                 {"a NOTNULL", "a IS NOT NULL"},
                 {"a IS UNKNOWN", "a IS NULL"},
                 {"a IS NOT TRUE", "a IS NOT TRUE"},
                 {"a IS DISTINCT FROM b", "a IS NOT b"},
                 {"a IS NOT DISTINCT FROM b", "a IS b"},
                 {"a IS DISTINCT FROM TRUE", "a IS NOT 1"},
                 {"a != b", "a <> b"},
                 {"a NOT LIKE 'x%' ESCAPE '!'", "a NOT LIKE 'x%' ESCAPE '!'"},
                 {"a ILIKE b", "lower(a) LIKE lower(b) ESCAPE '\\'"},
                 {"a NOT BETWEEN 1 AND 2", "a NOT BETWEEN 1 AND 2"},
                 {"(a, b) IN ((1, 2), (3, 4))", "(a, b) IN (VALUES (1, 2), (3, 4))"},
                 {"(a, b) NOT IN (SELECT 1, 2)", "(a, b) NOT IN (SELECT 1, 2)"},
                 {"a = ANY (SELECT 1)", "a IN (SELECT 1)"},
                 {"a <> ALL (SELECT 1)", "a NOT IN (SELECT 1)"},
                 {"a = ANY (ARRAY[1, b])", "a IN (1, b)"},
                 {"(a) <> ALL (ARRAY[1])", "a NOT IN (1)"},
                 {"NOT EXISTS (SELECT 1)", "NOT EXISTS (SELECT 1)"},
                 {"CASE a WHEN 1 THEN 'x' ELSE b END", "CASE a WHEN 1 THEN 'x' ELSE b END"}});
}

TEST(SqliteText, SpellsFunctions) {
  expect_values({{"greatest(a, b)", "max(coalesce(a, b), coalesce(b, a))"},
                 {"least(a, 1)", "min(coalesce(a, 1), 1)"},
                 {"least(a + 1)", "(a + 1)"},
                 {"coalesce(a, 0)", "coalesce(a, 0)"},
                 {"position('a' IN b)", "instr(b, 'a')"},
                 {"trim(LEADING 'x' FROM a)", "ltrim(a, 'x')"},
                 {"substring(a FROM 2)", "substr(a, 2)"},
                 {"string_agg(a, ',')", "group_concat(a, ',')"},
                 {"string_agg(DISTINCT a, ',')", "group_concat(DISTINCT a)"},
                 {"concat(a, 1)", "(coalesce(a, '') || coalesce(1, ''))"},
                 {"now()", "CURRENT_TIMESTAMP"},
                 {"current_date", "CURRENT_DATE"},
                 {"date_part('month', d)", "CAST(strftime('%m', d) AS INTEGER)"},
                 {"replace(a, 'x', 'y')", "\"replace\"(a, 'x', 'y')"},
                 {"sum(a ORDER BY b)", "sum(a)"},
                 {"count(DISTINCT a) FILTER (WHERE b)", "count(DISTINCT a) FILTER (WHERE b)"}});
}

TEST(SqliteText, SpellsCasts) {
  expect_values({{"a::int", "CAST(a AS INTEGER)"},
                 {"CAST(a AS double precision)", "CAST(a AS REAL)"},
                 {"a::varchar(3)", "CAST(a AS TEXT)"},
                 {"'yes'::boolean", "TRUE"},
                 {"a::boolean", "(a <> 0)"},
                 {"DATE '2026-11-25'", "date('2026-11-25')"}});
}

TEST(SqliteText, SpellsWindows) {
  expect_values(
      {{"row_number() OVER ()", "row_number() OVER ()"},
       {"sum(a) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST ROWS 2 PRECEDING)",
        "sum(a) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST ROWS BETWEEN 2 PRECEDING AND "
        "CURRENT ROW)"},
       {"sum(a) OVER (ORDER BY b GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES)",
        "sum(a) OVER (ORDER BY b GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES)"},
       {"sum(a) OVER (ORDER BY b RANGE BETWEEN 1 + 1 FOLLOWING AND 3 FOLLOWING)",
        "sum(a) OVER (ORDER BY b RANGE BETWEEN (1 + 1) FOLLOWING AND 3 FOLLOWING)"}});
  expect_queries(
      {{"SELECT sum(a) OVER w, sum(a) OVER (w ORDER BY b) FROM t WINDOW w AS (PARTITION BY c)",
        "SELECT sum(a) OVER w, sum(a) OVER (w ORDER BY b) FROM t WINDOW w AS (PARTITION "
        "BY c)"}});
}

TEST(SqliteText, OfQueries) {
  expect_queries(
      {{"SELECT DISTINCT a AS x, t.* FROM t WHERE b GROUP BY a, b HAVING count(*) > 1 ORDER BY 1 "
        "DESC",
        "SELECT DISTINCT a AS x, t.* FROM t WHERE b GROUP BY a, b HAVING count(*) > 1 ORDER BY 1 "
        "DESC"},
       {"SELECT 1 LIMIT ALL", "SELECT 1"},
       {"SELECT 1 OFFSET 2", "SELECT 1 LIMIT -1 OFFSET 2"},
       {"SELECT 1 FETCH FIRST 3 ROWS ONLY", "SELECT 1 LIMIT 3"},
       {"TABLE t", "SELECT * FROM t"},
       {"VALUES (1), (2) LIMIT 1", "SELECT * FROM (VALUES (1), (2)) LIMIT 1"},
       {"WITH RECURSIVE q (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 3) TABLE q",
        "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 3) SELECT * FROM "
        "q"}});
}

TEST(SqliteText, OfSetOperations) {
  expect_queries({{"SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 ORDER BY 1",
                   "SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 ORDER BY 1"},
                  {"SELECT 1 UNION ALL (SELECT 2 EXCEPT SELECT 3)",
                   "SELECT 1 UNION ALL SELECT * FROM (SELECT 2 EXCEPT SELECT 3)"},
                  // INTERSECT binds tighter to PostgreSQL, and not to SQLite.
                  {"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3",
                   "SELECT 1 UNION SELECT * FROM (SELECT 2 INTERSECT SELECT 3)"},
                  {"(SELECT 1 LIMIT 1) UNION VALUES (2)",
                   "SELECT * FROM (SELECT 1 LIMIT 1) UNION VALUES (2)"}});
  EXPECT_EQ(refused("SELECT 1 INTERSECT ALL SELECT 2"), "INTERSECT ALL");
}

TEST(SqliteText, OfJoins) {
  expect_queries(
      {{"SELECT * FROM a CROSS JOIN b", "SELECT * FROM a JOIN b"},
       {"SELECT * FROM a NATURAL LEFT JOIN b", "SELECT * FROM a NATURAL LEFT JOIN b"},
       {"SELECT * FROM a RIGHT JOIN b USING (x, y)", "SELECT * FROM a RIGHT JOIN b USING (x, y)"},
       {"SELECT * FROM a JOIN (b FULL JOIN c ON TRUE) ON d",
        "SELECT * FROM a JOIN (b FULL JOIN c ON TRUE) ON d"},
       {"SELECT * FROM a, b LEFT JOIN c ON TRUE", "SELECT * FROM a, (b LEFT JOIN c ON TRUE)"},
       {"SELECT * FROM (a JOIN b ON c) AS j", "SELECT * FROM (SELECT * FROM a JOIN b ON c) AS j"},
       {"SELECT * FROM (SELECT 1)", "SELECT * FROM (SELECT 1)"},
       {"SELECT * FROM t AS u (x)",
        "SELECT * FROM (WITH renamed_columns(x) AS (SELECT * FROM t) SELECT * FROM "
        "renamed_columns) AS u"}});
}

TEST(SqliteText, RefusesWhatIsNoScalar) {
  EXPECT_EQ(refused("SELECT v[1]"), "an element of a tensor among scalars");
  EXPECT_EQ(refused("SELECT ARRAY[1]"), "an array among scalars");
  EXPECT_EQ(refused("SELECT a::matrix[2][2]"), "a cast to matrix[] among scalars");
  EXPECT_EQ(refused("SELECT * FROM W[1]"), "a version of w where SQLite computes");
  EXPECT_EQ(
      refused("SELECT * FROM unnest(v)"),
      "unnest in FROM of what is no tensor there; one of the query around is unnested among the "
      "targets: x IN (SELECT unnest(v))");
  EXPECT_EQ(refused("SELECT * FROM a, LATERAL (SELECT a.x) b"), "LATERAL");
  EXPECT_EQ(refused("SELECT string_agg(a, ',' ORDER BY b)"),
            "ORDER BY among the arguments of string_agg");
}

TEST(SqliteName, QuotesWhatIsNoPlainWord) {
  EXPECT_EQ(sqlite_name("a_1"), "a_1");
  EXPECT_EQ(sqlite_name("A"), "\"A\"");
  EXPECT_EQ(sqlite_name("1a"), "\"1a\"");
  EXPECT_EQ(sqlite_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(sqlite_name(""), "\"\"");
  EXPECT_EQ(sqlite_name("ö"), "\"ö\"");
}

TEST(SqliteName, QuotesEveryKeywordOfSqlite) {
  for (int index = 0; index < sqlite3_keyword_count(); ++index) {
    const char* keyword = nullptr;
    int length = 0;
    ASSERT_EQ(sqlite3_keyword_name(index, &keyword, &length), SQLITE_OK);
    std::string name(keyword, static_cast<size_t>(length));
    std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
      return letter == '_' ? letter : static_cast<char>(letter | 32);
    });
    EXPECT_EQ(sqlite_name(name), "\"" + name + "\"");
  }
}

/// The rows that SQLite gives for a query, values with blanks between.
std::string rows_of(const std::string& query) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
  std::string rows;
  const auto append = [](void* to, int count, char** values, char**) {
    std::string& text = *static_cast<std::string*>(to);
    for (int column = 0; column < count; ++column) {
      text += (values[column] == nullptr ? "NULL" : values[column]) + std::string(" ");
    }
    return 0;
  };
  char* error = nullptr;
  if (sqlite3_exec(database, query.c_str(), append, &rows, &error) != SQLITE_OK) {
    rows = error;
  }
  sqlite3_free(error);
  sqlite3_close(database);
  return rows;
}

TEST(SqliteText, CountsSeries) {
  const auto series = [](const std::string& arguments) {
    return rows_of(for_sqlite("SELECT x FROM generate_series(" + arguments + ") AS g (x)"));
  };
  EXPECT_EQ(series("1, 3"), "1 2 3 ");
  EXPECT_EQ(series("3, 1"), "");
  EXPECT_EQ(series("5, -1, -2"), "5 3 1 -1 ");
  EXPECT_EQ(rows_of(for_sqlite("SELECT g, generate_series FROM generate_series(1, 1) g, "
                               "generate_series(2, 2)")),
            "1 2 ");
}

TEST(SqliteText, IsUnderstoodBySqlite) {
  const auto row = [](const std::string& results) {
    return rows_of(for_sqlite("SELECT " + results + " FROM (VALUES (7, 2)) AS t (a, b)"));
  };
  EXPECT_EQ(row("a / b, a % b, -a, a || b + 1"), "3 1 -7 73 ");
  EXPECT_EQ(row("greatest(a, b, 3), position('b' IN 'abc'), 'Ab' ILIKE 'aB'"), "7 2 1 ");
  EXPECT_EQ(row("(a, b) IN ((1, 2), (7, 2)), a::text || 'x', replace('aa', 'a', 'b')"), "1 7x bb ");
  EXPECT_EQ(row("extract(year FROM DATE '2026-11-25'), concat(a, NULL, b)"), "2026 72 ");
}

}  // namespace

}  // namespace tessera::frontend::sql::sqlite_text_test
