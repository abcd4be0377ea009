#include <gmock/gmock.h>

#include "unit/frontend/sql/sql_fixture.h"

namespace tessera::frontend::sql::statements_test {

namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<Name>& names) {
  std::vector<std::string> found;
  for (const Name& name : names) {
    found.push_back(name.text);
  }
  return found;
}

TypeName type_in(const std::string& type) {
  return parsed_as<CreateTable>("CREATE TABLE t (c " + type + ")").columns.at(0).type;
}

TEST(Types, HaveExtentsAndModifiers) {
  using Extents = std::vector<std::optional<int64_t>>;
  EXPECT_EQ(type_in("MATRIX[10][20]").extents, (Extents{10, 20}));
  EXPECT_EQ(type_in("matrix(f32)[10][]").extents, (Extents{10, std::nullopt}));
  EXPECT_EQ(type_in("matrix(f32)[10][]").modifiers, std::vector<std::string>{"f32"});
  EXPECT_EQ(type_in("VECTOR[3]").name.text, "vector");
  EXPECT_EQ(type_in("TENSOR[2][3][4]").extents.size(), 3U);
  EXPECT_EQ(type_in("varchar(10)").modifiers, std::vector<std::string>{"10"});
}

TEST(Types, HavePostgresNames) {
  EXPECT_EQ(type_in("integer").name.text, "int4");
  EXPECT_EQ(type_in("bigint").name.text, "int8");
  EXPECT_EQ(type_in("double precision").name.text, "float8");
  EXPECT_EQ(type_in("real").name.text, "float4");
  EXPECT_EQ(type_in("boolean").name.text, "bool");
  EXPECT_EQ(type_in("DATE").name.text, "date");
  EXPECT_EQ(type_in("text").name.text, "text");
}

TEST(Statements, CreateTables) {
  const CreateTable table = parsed_as<CreateTable>(
      "CREATE TEMP TABLE IF NOT EXISTS \"Tab\" (a int PRIMARY KEY, B text NOT NULL UNIQUE DEFAULT "
      "'x', "
      "c real CHECK (c > 0) CHECK (c < 9) CONSTRAINT small CHECK (c < 5), UNIQUE (a, b), "
      "CONSTRAINT k "
      "CHECK (a > 1))");
  EXPECT_EQ(table.table.text, "Tab");
  EXPECT_TRUE(table.is_temporary && table.if_not_exists);
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_TRUE(table.columns[0].is_primary_key);
  EXPECT_TRUE(table.columns[1].is_not_null && table.columns[1].is_unique);
  EXPECT_EQ(sqlite_text(*table.columns[1].default_value), "'x'");
  EXPECT_EQ(sqlite_text(*table.columns[2].check), "c > 0 AND c < 9");
  ASSERT_EQ(table.constraints.size(), 3U);
  EXPECT_EQ(table.constraints[0].name, "small");
  EXPECT_THAT(texts(table.constraints[1].columns), ElementsAre("a", "b"));
  EXPECT_EQ(table.constraints[2].name, "k");
}

TEST(Statements, MakeTablesAndViewsOfQueries) {
  const CreateTableAs table = parsed_as<CreateTableAs>("CREATE TABLE t (a, b) AS SELECT 1, 2");
  EXPECT_THAT(texts(table.columns), ElementsAre("a", "b"));
  const CreateView view =
      parsed_as<CreateView>("CREATE OR REPLACE VIEW v (a) AS  SELECT x FROM t ;");
  EXPECT_TRUE(view.or_replace);
  EXPECT_EQ(view.text, "SELECT x FROM t");
}

TEST(Statements, CreateIndices) {
  const std::string script =
      "CREATE UNIQUE INDEX IF NOT EXISTS i ON t USING btree (a DESC NULLS LAST, lower(b), c)";
  const CreateIndex index = parsed_as<CreateIndex>(script);
  EXPECT_EQ(index.index->text, "i");
  EXPECT_EQ(part_of(script, index.index->span), "i");
  EXPECT_TRUE(index.is_unique && index.if_not_exists);
  ASSERT_EQ(index.keys.size(), 3U);
  EXPECT_TRUE(index.keys[0].is_descending);
  EXPECT_EQ(index.keys[0].nulls_first, false);
  EXPECT_EQ(sqlite_text(*index.keys[1].expression), "lower(b)");
  EXPECT_EQ(part_of(script, index.keys[2].expression->span), "c");
}

TEST(Statements, DropAndRename) {
  const std::string script = "DROP TABLE IF EXISTS a, \"B\"";
  const Drop drop = parsed_as<Drop>(script);
  EXPECT_TRUE(drop.if_exists);
  EXPECT_THAT(texts(drop.names), ElementsAre("a", "B"));
  EXPECT_EQ(part_of(script, drop.names[1].span), "\"B\"");
  EXPECT_EQ(parsed_as<Drop>("DROP VIEW v").kind, Drop::Kind::view);
  EXPECT_EQ(parsed_as<Drop>("DROP INDEX v").kind, Drop::Kind::index);
  EXPECT_EQ(parsed_as<Rename>("ALTER TABLE t RENAME TO u").name.text, "u");
  const Rename column = parsed_as<Rename>("ALTER TABLE t RENAME COLUMN a TO b");
  EXPECT_EQ(column.column->text, "a");
  EXPECT_EQ(column.name.text, "b");
}

TEST(Statements, ChangeRows) {
  const Insert insert =
      parsed_as<Insert>("INSERT INTO t (a, b) VALUES (1, 'x'), (2, NULL) RETURNING a AS c");
  EXPECT_THAT(texts(insert.columns), ElementsAre("a", "b"));
  EXPECT_EQ(sqlite_text(*insert.query), "VALUES (1, 'x'), (2, NULL)");
  EXPECT_EQ(insert.returning.at(0).alias->text, "c");
  const Update update =
      parsed_as<Update>("UPDATE t AS x SET a = a + 1, b = u.c FROM u, W[3] WHERE x.k = u.k");
  EXPECT_EQ(update.alias->text, "x");
  EXPECT_EQ(update.assignments.at(1).column.text, "b");
  EXPECT_EQ(sqlite_text(*update.assignments[0].value), "a + 1");
  EXPECT_EQ(std::get<TableReference>(update.from.at(1)->of).version.size(), 1U);
  const Delete removal = parsed_as<Delete>("DELETE FROM t AS x USING W[3], u WHERE x.a IS NULL");
  EXPECT_EQ(removal.alias->text, "x");
  EXPECT_EQ(std::get<TableReference>(removal.from.at(0)->of).version.size(), 1U);
  EXPECT_EQ(sqlite_text(*removal.where), "x.a IS NULL");
}

TEST(Statements, CopyFiles) {
  const Copy in = parsed_as<Copy>("COPY t (a, b) FROM 'f.npy' (FORMAT npy, HEADER)");
  EXPECT_TRUE(in.is_from);
  EXPECT_EQ(in.file, "f.npy");
  EXPECT_THAT(texts(in.columns), ElementsAre("a", "b"));
  EXPECT_EQ(in.options.at(0).value, "npy");
  EXPECT_EQ(in.options.at(1).name.text, "header");
  const Copy out = parsed_as<Copy>("COPY (SELECT * FROM W[1]) TO STDOUT WITH CSV");
  EXPECT_EQ(out.file, "");
  EXPECT_FALSE(out.is_from);
  ASSERT_NE(out.query, nullptr);
}

TEST(Statements, BeginAndEndTransactions) {
  EXPECT_EQ(parsed_as<Transaction>("BEGIN").kind, Transaction::Kind::begin);
  EXPECT_EQ(parsed_as<Transaction>("START TRANSACTION").kind, Transaction::Kind::begin);
  EXPECT_EQ(parsed_as<Transaction>("END").kind, Transaction::Kind::commit);
  EXPECT_EQ(parsed_as<Transaction>("ROLLBACK").kind, Transaction::Kind::rollback);
}

TEST(Statements, Explain) {
  const auto explain = parsed_as<sql::Explain>("EXPLAIN ANALYZE INSERT INTO t SELECT 1");
  EXPECT_EQ(explain.options.at(0).name.text, "analyze");
  EXPECT_TRUE(std::holds_alternative<Insert>(explain.statement->of));
}

TEST(EndOfStatement, IsBehindItsSemicolon) {
  EXPECT_EQ(end_of_statement("SELECT 1; SELECT 2;"), 9);
  EXPECT_EQ(end_of_statement("SELECT ';' -- ;\n;"), 17);
  EXPECT_EQ(end_of_statement("SELECT 1"), std::nullopt);
  EXPECT_EQ(end_of_statement("SELECT 'a;"), std::nullopt);
  EXPECT_EQ(end_of_statement("SELECT /* ;"), std::nullopt);
  EXPECT_EQ(end_of_statement("SELECT $x$ ;"), std::nullopt);
  EXPECT_EQ(end_of_statement("SELECT (1;"), std::nullopt);
  EXPECT_EQ(end_of_statement("EXECUTE (FOR j IN 0...1: SELECT 1;);"), 36);
  EXPECT_EQ(end_of_statement("SELECT 1a;"), 10);  // for parse() to tell
  EXPECT_EQ(end_of_statement(""), std::nullopt);
}

TEST(IsQuoteOpen, AtTheEndOfAText) {
  EXPECT_TRUE(is_quote_open("SELECT 'a"));
  EXPECT_TRUE(is_quote_open("SELECT 1; /* and"));
  EXPECT_TRUE(is_quote_open("SELECT $$a"));
  EXPECT_FALSE(is_quote_open("SELECT 'a' -- it's"));
  EXPECT_FALSE(is_quote_open("SELECT ("));
}

/// The first byte of what find_name() gives.
std::optional<int64_t> place_of_name(const std::string& text, const std::string& name,
                                     NameKind kind) {
  const auto span = find_name(text, {0, static_cast<int64_t>(text.size())}, name, kind);
  return span ? std::optional(span->begin) : std::nullopt;
}

TEST(FindName, LooksWhereSuchThingsStand) {
  EXPECT_EQ(place_of_name("SELECT 1 AS x FROM x WHERE X = 2", "x", NameKind::column), 27);
  EXPECT_EQ(place_of_name("SELECT x AS y FROM a, x", "x", NameKind::table), 22);
  EXPECT_EQ(place_of_name("SELECT f + f(1)", "f", NameKind::function), 11);
  EXPECT_EQ(place_of_name("SELECT a.x, b.x", "b.x", NameKind::column), 14);
  EXPECT_EQ(place_of_name("SELECT 'x', \"x\"", "x", NameKind::column), 12);
  EXPECT_EQ(place_of_name("SELECT 1 AS x", "x", NameKind::column), 12);  // the only one there is
  EXPECT_EQ(place_of_name("SELECT y -- x", "x", NameKind::column), std::nullopt);
}

}  // namespace

}  // namespace tessera::frontend::sql::statements_test
