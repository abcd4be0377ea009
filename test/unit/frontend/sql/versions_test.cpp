#include <gmock/gmock.h>

#include "unit/frontend/sql/sql_fixture.h"

namespace tessera::frontend::sql::versions_test {

namespace {

const TableReference& table_in(const FromItemPtr& item) {
  return std::get<TableReference>(item->of);
}

/// `[i-1][2...i]` with what was read, in SQLite's words.
std::string index_text(const std::optional<Name>& name, const ExpressionPtr& low,
                       const ExpressionPtr& high, bool is_range) {
  return "[" + (name ? name->text + ":" : "") + sqlite_text(*low) + (is_range ? "..." : "") +
         (high == nullptr ? "" : sqlite_text(*high)) + "]";
}

template <class Index>
std::string text_of(const std::vector<Index>& indices) {
  std::string text;
  for (const Index& index : indices) {
    text += index_text(index.name, index.low, index.high, index.is_range);
  }
  return text;
}

std::string version_in(const std::string& from) {
  return text_of(table_in(query_in("SELECT * FROM " + from).from.at(0)).version);
}

std::string defined(const std::string& indices) {
  return text_of(parsed_as<DefineVersions>("CREATE TABLE W" + indices + " AS SELECT 1").indices);
}

TEST(Versions, StandBehindTheNameOfATable) {
  EXPECT_EQ(version_in("W[3]"), "[3]");
  EXPECT_EQ(version_in("W[i-1][j + 2] AS w"), "[i - 1][j + 2]");
  EXPECT_EQ(version_in("W [ i ] w"), "[i]");
  EXPECT_EQ(version_in("ONLY W[1]"), "[1]");
  EXPECT_EQ(version_in("W"), "");
}

TEST(Versions, StandWhereverTablesAreRead) {
  const Select query = query_in(
      "SELECT v[1] FROM A[1], (B[2] JOIN C[3] ON v[4] = 5 AND B.x IS DISTINCT FROM v[6]), D[7] d "
      "WHERE w[8] > 0");
  EXPECT_EQ(text_of(table_in(query.from[0]).version), "[1]");
  const JoinReference& join = std::get<JoinReference>(query.from[1]->of);
  EXPECT_EQ(text_of(table_in(join.left).version), "[2]");
  EXPECT_EQ(text_of(table_in(join.right).version), "[3]");
  EXPECT_EQ(text_of(table_in(query.from[2]).version), "[7]");
  EXPECT_EQ(query.from[2]->alias->text, "d");
  EXPECT_TRUE(std::holds_alternative<Element>(query.targets[0].expression->of));
}

TEST(Versions, StandInQueriesInside) {
  const Select query = query_in("SELECT (SELECT max(x) FROM A[i]) FROM (SELECT * FROM B[1]) q");
  const ScalarQuery& scalar = std::get<ScalarQuery>(query.targets[0].expression->of);
  EXPECT_EQ(text_of(table_in(scalar.query->from[0]).version), "[i]");
  const QueryReference& inner = std::get<QueryReference>(query.from[0]->of);
  EXPECT_EQ(text_of(table_in(inner.query->from[0]).version), "[1]");
}

TEST(Versions, LeaveFunctionsWithFromAlone) {
  EXPECT_EQ(value_for_sqlite("extract(year FROM d)"), "CAST(strftime('%Y', d) AS INTEGER)");
  const Select query = query_in("SELECT substring(s FROM v[1] FOR v[2]) FROM t");
  EXPECT_EQ(std::get<Call>(query.targets[0].expression->of).arguments.size(), 3U);
}

TEST(Versions, AreUnitedInFrom) {
  const Select query = query_in("SELECT sum(x) FROM UNION W[i-2...i-1] AS w UNION SELECT 1");
  const TableReference& table = table_in(query.left->from.at(0));
  EXPECT_TRUE(table.is_union);
  EXPECT_EQ(text_of(table.version), "[i - 2...i - 1]");
  EXPECT_EQ(version_in("UNION T[i:0...50][0...i]"), "[i:0...50][0...i]");
  EXPECT_EQ(version_in("UNION T[1...]"), "[1...]");
}

TEST(Versions, AreDefined) {
  EXPECT_EQ(defined("[0][0]"), "[0][0]");
  EXPECT_EQ(defined("[i:1...][i]"), "[i:1...][i]");
  EXPECT_EQ(defined("[i:2...][j:1...i-1]"), "[i:2...][j:1...i - 1]");
  EXPECT_EQ(defined("[i:0...][j:9]"), "[i:0...][j:9]");
  EXPECT_EQ(defined("[i:0...50]"), "[i:0...50]");
  EXPECT_EQ(defined("[i:0 ... 50]"), "[i:0...50]");
}

TEST(Versions, KeepTheirDefinitionAsItWasWritten) {
  const std::string text = "CREATE TABLE W[i:1...] (a, b)  AS SELECT x, y /* two */ FROM W[i - 1]";
  const DefineVersions definition = parsed_as<DefineVersions>(text + ";");
  EXPECT_EQ(definition.text, text);
  EXPECT_EQ(definition.table.text, "w");
  ASSERT_EQ(definition.columns.size(), 2U);
  EXPECT_EQ(part_of(text, definition.columns[1].span), "b");
  EXPECT_EQ(part_of(text, definition.indices[0].span), "[i:1...]");
}

TEST(Versions, AreReadAsThePaperPrintsThem) {
  const auto paper = [](const std::string& text) { return parsed_as<DefineVersions>(text); };
  const DefineVersions first =
      paper("CREATE TABLE pascalsTri[0][0] (val) AS\nSELECT val FROM VALUES (1);");
  EXPECT_EQ(sqlite_text(*first.query),
            "SELECT val FROM (WITH renamed_columns(val) AS (VALUES (1)) SELECT * FROM "
            "renamed_columns)");
  const DefineVersions error = paper(
      "CREATE TABLE E[i:0...][j:9](COL, ERR) AS\nSELECT A.COL, crossentropyderiv(A.ACT, DO.VAL)\n"
      "FROM A[i][j] AS A, DATA_OUTPUT AS DO;");
  EXPECT_EQ(error.query->from[1]->alias->text, "do");
  const DefineVersions backward = paper(
      "CREATE TABLE E[i:0...][j:1...8](COL, ERR) AS SELECT W.ROW, SUM(matmul(E.ERR, t(W.MAT)) * "
      "reluderiv(A.ACT)) FROM A[i][j] AS A, E[i][j+1] AS E, W[i][j+1] AS W WHERE A.COL = W.ROW AND "
      "W.COL = E.COL GROUP BY W.ROW;");
  EXPECT_EQ(text_of(table_in(backward.query->from[2]).version), "[i][j + 1]");
}

TEST(Versions, RunInLoops) {
  const Execute execute = parsed_as<Execute>(
      "EXECUTE (FOR i IN 0...5: FOR j IN i...2*i: SELECT * FROM pascalsTri[i][j]);");
  ASSERT_EQ(execute.loops.size(), 2U);
  EXPECT_EQ(execute.loops[1].name.text, "j");
  EXPECT_EQ(sqlite_text(*execute.loops[1].high), "2 * i");
  const Select& query = *std::get<Query>(execute.body->of).query;
  EXPECT_EQ(text_of(table_in(query.from[0]).version), "[i][j]");
  const Execute kept = parsed_as<Execute>("EXECUTE (\n FOR j IN 0...50:\n MATERIALIZE T[50][j]);");
  EXPECT_EQ(text_of(std::get<Materialize>(kept.body->of).version.version), "[50][j]");
  EXPECT_EQ(
      parsed_as<Execute>("EXECUTE (FOR i IN 1...2: (FOR j IN 1...2: (SELECT 1)))").loops.size(),
      2U);
}

TEST(Versions, AreMaterialized) {
  EXPECT_EQ(text_of(parsed_as<Materialize>("MATERIALIZE W[50][1 + 2]").version.version),
            "[50][1 + 2]");
  const Explain explain = parsed_as<Explain>(
      "EXPLAIN (ANALYZE, FORMAT json) EXECUTE (FOR j IN 0...1: MATERIALIZE W[j])");
  EXPECT_TRUE(std::holds_alternative<Execute>(explain.statement->of));
  ASSERT_EQ(explain.options.size(), 2U);
  EXPECT_EQ(explain.options[1].value, "json");
}

TEST(VersionErrors, PointAtTheirPlace) {
  EXPECT_EQ(finding_in("SELECT * FROM W[1...2]"), "a range of versions is no table | [1...2]");
  EXPECT_EQ(finding_in("SELECT * FROM W[]"), "an index of a version is missing | []");
  EXPECT_EQ(finding_in("SELECT * FROM W[1 +][2]"), "syntax error at or near \"]\" | ]");
  EXPECT_EQ(finding_in("SELECT * FROM W[1 2]"), "syntax error at or near \"2\" | 2");
  EXPECT_EQ(finding_in("SELECT * FROM W[i"), "this bracket is not closed | [");
  EXPECT_EQ(finding_in("SELECT * FROM UNION W[...3]"), "a range has no beginning | ...");
  EXPECT_EQ(finding_in("SELECT * FROM W[i:3]"),
            "a single index of a reference binds no name | [i:3]");
  EXPECT_EQ(finding_in("EXECUTE (FOR j IN 0..5: SELECT 1)"), "syntax error at or near \"..\" | ..");
  EXPECT_EQ(finding_in("EXECUTE (FOR j IN 0...: SELECT 1)"),
            "a loop has a first and a last value | 0");
  EXPECT_EQ(finding_in("EXECUTE (FOR j IN 0...5: DROP TABLE t)"),
            "EXECUTE runs a query or MATERIALIZE | DROP");
  EXPECT_EQ(finding_in("SELECT * FROM W[(SELECT a FROM W[1])]"),
            "a query in an index is not supported | SELECT");
  EXPECT_EQ(finding_in("MATERIALIZE W"),
            "MATERIALIZE is of a version, and this table has no index here | W");
}

TEST(VersionErrors, NameWhereNoVersionMayStand) {
  for (const char* script :
       {"INSERT INTO W[1] VALUES (1)", "DELETE FROM W[1]", "DROP TABLE W[1]",
        "UPDATE W[1] SET a = 1", "CREATE TABLE W[1] (a int)", "ALTER TABLE W[1] RENAME TO v"}) {
    EXPECT_EQ(finding_in(script), "no version may stand here | [1]") << script;
  }
}

}  // namespace

}  // namespace tessera::frontend::sql::versions_test
