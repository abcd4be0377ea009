#include <gmock/gmock.h>

#include "unit/frontend/sql/sql_fixture.h"

namespace tessera::frontend::sql::errors_test {

namespace {

TEST(SqlErrors, ArePostgresAtTheirPlace) {
  EXPECT_EQ(finding_in("SELECT * FORM t"), "syntax error at or near \"FORM\" | FORM");
  EXPECT_EQ(findings_in("SELECT * FORM t")[0].help, "did you mean 'FROM' in place of 'FORM'?");
  EXPECT_EQ(finding_in("SELECT é, ( FROM t"), "syntax error at or near \"FROM\" | FROM");
  EXPECT_EQ(finding_in("SELECT 'a"), "unterminated quoted string at or near \"'a\" | '");
  EXPECT_EQ(finding_in("SELECT 1 LIMIT 1, 2"), "LIMIT #,# syntax is not supported | LIMIT");
  EXPECT_EQ(finding_in("SELECT * FROM W[i] WHERE"), "syntax error at end of input | ");
  EXPECT_EQ(finding_in("CREATE TABLE t (v VECTOR[n])"), "syntax error at or near \"n\" | n");
}

TEST(SqlErrors, AreFoundInEveryStatement) {
  const std::vector<Diagnostic> found =
      findings_in("SELCT 1; SELECT 2; SELECT FROM; SELECT (;) ; GRANT a TO b; SELECT (1; SELECT 1");
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].help, "did you mean 'SELECT' in place of 'SELCT'?");
  EXPECT_EQ(found[2].message, "syntax error at or near \";\"");
  EXPECT_EQ(found[3].kind, ErrorKind::unsupported);
}

TEST(SqlErrors, NameBytesThatAreNoText) {
  EXPECT_EQ(findings_in(std::string("SELECT 1\0;", 10))[0].span.begin, 8);
  EXPECT_EQ(findings_in("SELECT '\xff'")[0].message, "this byte is no text in UTF-8");
}

TEST(SqlErrors, RefuseDeepNesting) {
  const std::string deep = std::string(3000, '(') + "1" + std::string(3000, ')');
  EXPECT_THAT(finding_in("SELECT " + deep), testing::StartsWith("the statement is nested"));
  std::string chain = "SELECT 1";
  std::string signs = "SELECT ";
  for (int i = 0; i < 3000; ++i) {
    chain += " UNION SELECT 1, 2";
    signs += "- ";
  }
  EXPECT_THAT(finding_in(chain), testing::StartsWith("the statement is nested"));
  EXPECT_THAT(finding_in(signs + "a"), testing::StartsWith("the statement is nested"));
}

TEST(SqlErrors, TakeLongLists) {
  std::string values = "VALUES (0)";
  std::string either = "SELECT 1 WHERE a = 0";
  for (int i = 1; i < 3000; ++i) {
    values += ", (-1 + 2)";
    either += " OR a = 1";
  }
  EXPECT_EQ(query_in(values).values.size(), 3000U);
  EXPECT_EQ(std::get<Logical>(query_in(either).where->of).operands.size(), 3000U);
}

struct Refused {
  const char* script;
  const char* finding;
};

/// A clause that PostgreSQL's grammar takes and our syntax has not is named where it stands.
TEST(SqlErrors, NameWhatIsNotSupported) {
  for (const Refused& refused : std::initializer_list<Refused>{
           {"SELECT 1 FOR UPDATE", "FOR UPDATE is not supported | FOR"},
           {"SELECT DISTINCT ON (a) a FROM t", "DISTINCT ON is not supported | a"},
           {"SELECT a FROM t GROUP BY ROLLUP (a)",
            "GROUPING SETS, ROLLUP, CUBE or () is not supported | ROLLUP"},
           {"SELECT a FROM t GROUP BY DISTINCT a", "GROUP BY DISTINCT is not supported | GROUP"},
           {"SELECT a INTO u FROM t", "SELECT INTO is not supported | SELECT"},
           {"SELECT a FROM t TABLESAMPLE system (1)", "TABLESAMPLE is not supported | system"},
           {"SELECT 1 ORDER BY 1 FETCH FIRST 2 ROWS WITH TIES", "WITH TIES is not supported | 2"},
           {"SELECT s.t.a", "a name of more than two parts is not supported | s"},
           {"SELECT a FROM s.t", "a schema before a name is not supported | s"},
           {"SELECT s.f(a)", "a schema before a name is not supported | s"},
           {"SELECT a COLLATE \"C\"", "COLLATE is not supported | COLLATE"},
           {"SELECT a ^ 2", "the operator ^ is not supported | ^"},
           {"SELECT a SIMILAR TO 'b'", "SIMILAR TO is not supported | SIMILAR"},
           {"SELECT a < ALL (SELECT 1)", "< ALL is not supported | <"},
           {"SELECT ARRAY(SELECT 1)", "ARRAY(SELECT ...) is not supported | ARRAY"},
           {"SELECT f(x => 1)", "an argument with a name is not supported | x"},
           {"SELECT f(VARIADIC a)", "VARIADIC is not supported | VARIADIC"},
           {"SELECT f(a) WITHIN GROUP (ORDER BY b)", "WITHIN GROUP is not supported | WITHIN"},
           {"SELECT $1", "a parameter is not supported | $1"},
           {"SELECT B'01'", "a string of bits is not supported | B'01'"},
           {"SELECT (a).b FROM t", "a field of a value is not supported | a"},
           {"SELECT current_user", "current_user is not supported | current_user"},
           {"SELECT * FROM ROWS FROM (f(), g())", "ROWS FROM is not supported | "},
           {"WITH q AS (DELETE FROM t) SELECT 1",
            "a statement that is no query in this place is not supported | q"},
           {"INSERT INTO t DEFAULT VALUES", "INSERT ... DEFAULT VALUES is not supported | "},
           {"INSERT INTO t VALUES (DEFAULT)", "DEFAULT as a value is not supported | DEFAULT"},
           {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "ON CONFLICT is not supported | ON"},
           {"WITH q AS (SELECT 1) INSERT INTO t SELECT 1", "WITH is not supported | WITH"},
           {"UPDATE t SET (a, b) = (1, 2)",
            "an assignment to several columns at once is not supported | a"},
           {"UPDATE t SET a = 1 RETURNING a", "RETURNING is not supported | RETURNING"},
           {"DELETE FROM t USING u RETURNING a", "RETURNING is not supported | RETURNING"},
           {"CREATE TABLE t (a int REFERENCES u)", "REFERENCES is not supported | REFERENCES"},
           {"CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY)",
            "GENERATED is not supported | GENERATED"},
           {"CREATE TABLE t (a int DEFERRABLE)", "DEFERRABLE is not supported | DEFERRABLE"},
           {"CREATE TABLE t (a int) TABLESPACE x", "TABLESPACE is not supported | TABLESPACE"},
           {"CREATE TABLE t (LIKE u)", "LIKE in a definition of a table is not supported | "},
           {"CREATE TABLE t AS SELECT 1 WITH NO DATA", "WITH NO DATA is not supported | WITH"},
           {"CREATE INDEX ON t (a) WHERE a > 1", "WHERE is not supported | WHERE"},
           {"CREATE INDEX ON t USING hash (a)", "the method hash is not supported | hash"},
           {"DROP TABLE t CASCADE", "CASCADE is not supported | CASCADE"},
           {"ALTER TABLE t ADD COLUMN a int", "ALTER TABLE is not supported | ALTER"},
           {"CREATE TRIGGER x BEFORE INSERT ON t EXECUTE FUNCTION f()",
            "CREATE TRIGGER is not supported | CREATE"},
           {"EXECUTE prepared (1)", "EXECUTE PREPARED is not supported | EXECUTE"},
           {"SAVEPOINT a", "SAVEPOINT is not supported | SAVEPOINT"}}) {
    const std::string found = finding_in(refused.script);
    if (std::string(refused.finding).ends_with("| ")) {
      EXPECT_THAT(found, testing::StartsWith(refused.finding)) << refused.script;
    } else {
      EXPECT_EQ(found, refused.finding) << refused.script;
    }
    EXPECT_EQ(findings_in(refused.script)[0].kind, ErrorKind::unsupported) << refused.script;
  }
}

}  // namespace

}  // namespace tessera::frontend::sql::errors_test
