#include "unit/frontend/sql/sql_fixture.h"

namespace tessera::frontend::sql::spans_test {

namespace {

/// What the first result of `SELECT text` covers of the text.
std::string covered(const std::string& text) {
  const std::string script = "SELECT " + text + " FROM t";
  return part_of(script, result_of(script).span);
}

TEST(Spans, CoverAWholeExpression) {
  for (const char* text : {"1",
                           "-5",
                           "- (5)",
                           "'it''s'",
                           "E'a\\n'",
                           "$x$ab$x$",
                           "U&'\\0041'",

                           "U&\"ab\"",
                           "NULL",
                           "TRUE",
                           "a",
                           "t.a",
                           "t . a",
                           "\"A b\"",
                           "t.*",
                           "*",
                           "a + b",
                           "(a + b) * (c)",
                           "-(a)",
                           "NOT a",
                           "a AND b OR (c)",
                           "a IS NULL",
                           "a IS NOT NULL",
                           "(a) ISNULL",
                           "a IS NOT TRUE",
                           "a IS DISTINCT FROM (b)",
                           "a BETWEEN 1 AND (2)",
                           "a LIKE 'x' ESCAPE '!'",
                           "a IN (1, (2))",
                           "(a) NOT IN (SELECT 1)",
                           "EXISTS (SELECT 1)",
                           "(SELECT 1)",
                           "a = ANY (SELECT (1))",
                           "a = ANY (ARRAY[1, (2)])",
                           "f()",
                           "f(a, (b))",
                           "count(*)",
                           "count(DISTINCT a) FILTER (WHERE (b))",
                           "sum(a) OVER w",
                           "sum(a) OVER (ORDER BY b)",
                           "coalesce(a, b)",
                           "greatest(a)",
                           "nullif(a, b)",
                           "CURRENT_DATE",
                           "CAST(a AS int)",
                           "a::matrix(f32)[2][3]",
                           "a::double precision",
                           "DATE '2026-11-25'",
                           "ARRAY[[1], [2]]",
                           "v[1]",
                           "m[1:2][3]",
                           "(f(x))[1]",
                           "(a, b)",
                           "ROW(a)",
                           "extract(year FROM a)",
                           "substring(a FROM 1 FOR 2)",
                           "CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END",
                           "f(f(f(a)))"}) {
    EXPECT_EQ(covered(text), text);
  }
}

TEST(Spans, AreBytesOfTheUsersText) {
  const std::string script = "SELECT é, a FROM \"Tä\"[i - 1] AS ö, UNION W[0...9] WHERE ß = 'x'";
  const Select query = query_in(script);
  EXPECT_EQ(part_of(script, query.targets[0].expression->span), "é");
  const TableReference& table = std::get<TableReference>(query.from[0]->of);
  EXPECT_EQ(part_of(script, table.table.span), "\"Tä\"");
  EXPECT_EQ(part_of(script, table.version[0].low->span), "i - 1");
  EXPECT_EQ(part_of(script, query.from[0]->span), "\"Tä\"[i - 1] AS ö");
  EXPECT_EQ(part_of(script, query.from[0]->alias->span), "ö");
  EXPECT_EQ(part_of(script, query.from[1]->span), "W[0...9]");
  EXPECT_EQ(part_of(script, query.where->span), "ß = 'x'");
  EXPECT_EQ(part_of(script, query.span), script);
}

TEST(Spans, CoverQueries) {
  const std::string script =
      "(SELECT DISTINCT a FROM (VALUES (1), (2)) AS v (a, b) JOIN (t JOIN u ON b) USING (c) ORDER "
      "BY (a)) "
      "UNION "
      "(WITH q (x) AS (TABLE u) SELECT x AS y FROM q LIMIT 1);";
  const Select query = query_in(script);
  EXPECT_EQ(part_of(script, query.span), script.substr(0, script.size() - 1));
  const FromItem& join = *query.left->from[0];
  EXPECT_EQ(part_of(script, join.span),
            "(VALUES (1), (2)) AS v (a, b) JOIN (t JOIN u ON b) USING (c)");
  const FromItem& values = *std::get<JoinReference>(join.of).left;
  EXPECT_EQ(part_of(script, std::get<QueryReference>(values.of).query->span), "VALUES (1), (2)");
  EXPECT_EQ(part_of(script, values.column_aliases.at(1).span), "b");
  EXPECT_EQ(part_of(script, query.right->with[0].query->span), "TABLE u");
  EXPECT_EQ(part_of(script, query.right->with[0].columns[0].span), "x");
  EXPECT_EQ(part_of(script, query.right->targets[0].alias->span), "y");
}

TEST(Spans, OfStatementsLeaveOutSemicolons) {
  const std::string script = "-- one\n SELECT 1 ; /* ; */ SELECT ';' ;; ";
  const std::vector<Statement> statements = parsed(script);
  ASSERT_EQ(statements.size(), 2U);
  EXPECT_EQ(part_of(script, statements[0].span), "SELECT 1");
  EXPECT_EQ(part_of(script, statements[1].span), "SELECT ';'");
}

}  // namespace

}  // namespace tessera::frontend::sql::spans_test
