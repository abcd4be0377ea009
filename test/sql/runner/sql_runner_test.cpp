// Tests that the runner finds what is wrong: cases with planted faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sql/runner/check_sql_case.h"
#include "sql/runner/close_texts.h"

namespace tessera::sql_cases {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kTable =
    "setup\n"
    "run\n"
    "  CREATE TABLE t(k int, v vector[2]);\n"
    "  INSERT INTO t VALUES (1, '{1,2}'), (2, NULL);\n"
    "\n"
    "case a table\n";

plans::CaseReport report_of(const std::string& steps) {
  return check_sql_case(read_sql_cases(kTable + steps, "t.sqltest").at(0));
}

std::string rewritten_by_run(const std::string& steps) {
  const std::string text = kTable + steps;
  return plans::rewritten(text, report_of(steps).seen).substr(kTable.size());
}

std::string refusal_of(const std::string& text) {
  try {
    read_sql_cases(text, "t.sqltest");
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(SqlCaseFile, SaysWhereItIsNotUnderstood) {
  EXPECT_EQ(refusal_of("query SELECT 1\n----\n"),
            "t.sqltest:1: a file begins with `case NAME` or `setup`, not with `query`");
  EXPECT_THAT(refusal_of("case a\nqeury SELECT 1\n"), HasSubstr("t.sqltest:2: `qeury` is not"));
  EXPECT_THAT(refusal_of("case a\nquery SELECT 1\n"), HasSubstr("t.sqltest:2: `----` follows"));
  EXPECT_THAT(refusal_of("case a\nrun\n"), HasSubstr("t.sqltest:2: statements follow"));
  EXPECT_THAT(refusal_of("case a\neach SELECT 1\n"), HasSubstr("$x in the place"));
  EXPECT_THAT(refusal_of("case a\neach SELECT $x\n  1\n"), HasSubstr("t.sqltest:3: expected"));
  EXPECT_THAT(refusal_of("case a\nset frames best\n"), HasSubstr("there is no cutter best"));
  EXPECT_THAT(refusal_of("case a\nset wrokers 2\n"), HasSubstr("no setting `wrokers 2`"));
}

TEST(SqlCaseFile, GivesEachCaseTheStepsOfItsSetup) {
  const auto cases = read_sql_cases(
      "setup\nrun SELECT 1\ncase a\nrun SELECT 2\ncase b\nsetup\ncase c\nrun SELECT 3\n", "t");
  ASSERT_THAT(cases, SizeIs(3));
  EXPECT_THAT(cases[0].steps, SizeIs(2));
  EXPECT_THAT(cases[1].steps, SizeIs(1));
  EXPECT_THAT(cases[2].steps, SizeIs(1));
}

TEST(SqlCase, PassesIfEveryStepGivesWhatIsExpected) {
  EXPECT_THAT(report_of("query SELECT k, 2 * v AS w, 'it''s' AS s FROM t ORDER BY k\n"
                        "----\n"
                        "k | w | s\n"
                        "1 | {2,4} | 'it''s'\n"
                        "2 | NULL | 'it''s'\n"
                        "\n"
                        "each SELECT k, $x FROM t ORDER BY k\n"
                        "  v[1] => 1 | 1; 2 | NULL\n"
                        "  k / 2.0 => ~1e-9 1 | 0.5000000001; 2 | 1\n"
                        "  v[9] => error at `9`: 42000: there is no element 9 along an extent\n"
                        "    of 2 in a vector[2]\n"
                        "\n"
                        "error SELECT nam FROM t\n"
                        "----\n"
                        "sql:1:8: error: 42703: there is no column nam\n"
                        "  SELECT nam FROM t\n"
                        "         ^^^\n"
                        "\n"
                        "write in.csv\n"
                        "  5,{7,8}\n"
                        "\n"
                        "show EXPLAIN SELECT v + 1 FROM t\n"
                        "----\n"
                        "key part\n"
                        "tensor part\n"
                        "not matmul\n"
                        "\n"
                        "run DELETE FROM t WHERE k = 2; COPY t TO '$dir/t.csv'\n"
                        "----\n"
                        "DELETE 1\n"
                        "COPY 1\n"
                        "\n"
                        "read t.csv\n"
                        "----\n"
                        "1,\"{1,2}\"\n"
                        "\n"
                        "reopen\n"
                        "query SELECT k FROM t\n"
                        "----\n"
                        "k\n"
                        "1\n")
                  .problems,
              IsEmpty());
}

TEST(SqlCase, FailsIfAStepGivesSomethingElse) {
  const auto number_of_problems = [](const std::string& steps) {
    return report_of(steps).problems.size();
  };
  EXPECT_EQ(number_of_problems("query SELECT k FROM t ORDER BY k\n----\nk\n1\n3\n"), 1U);
  EXPECT_EQ(number_of_problems("query SELECT k FROM t ORDER BY k\n----\nn\n1\n2\n"), 1U);
  EXPECT_EQ(number_of_problems("query ~1e-3 SELECT 1.01 AS k\n----\nk\n1\n"), 1U);
  EXPECT_EQ(number_of_problems("each SELECT $x FROM t ORDER BY k\n  k => 1; 2\n  v => 1\n"), 1U);
  EXPECT_EQ(number_of_problems("error SELECT k FROM t\n----\nerror\n"), 1U);
  EXPECT_EQ(number_of_problems("run SELECT nam FROM t\n"), 1U);
  EXPECT_EQ(number_of_problems("run DELETE FROM t\n----\nDELETE 3\n"), 1U);
  EXPECT_EQ(number_of_problems("show EXPLAIN SELECT v + 1 FROM t\n----\nno such line\n"), 1U);
  EXPECT_EQ(number_of_problems("show EXPLAIN SELECT v + 1 FROM t\n----\nnot key part\n"), 1U);
  EXPECT_EQ(number_of_problems("read t.csv\n----\n"), 1U);
}

TEST(SqlCase, ProblemsSayFileLineAndDifference) {
  const plans::CaseReport report = report_of("query SELECT 1 AS k\n----\nk\n2\n");
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.problems[0], HasSubstr("t.sqltest:7: a table: as-written: query differs"));
  EXPECT_THAT(report.problems[0], HasSubstr("- 2\n+ 1\n"));
}

TEST(SqlCase, ARewriteReplacesWhatIsExpectedAndNothingElse) {
  EXPECT_EQ(rewritten_by_run("query SELECT k FROM t ORDER BY k\n----\n?\n\n# the end\n"),
            "query SELECT k FROM t ORDER BY k\n----\nk\n1\n2\n\n# the end\n");
  EXPECT_EQ(rewritten_by_run("each SELECT $x FROM t\n  max(k) => 7\n  min(k)\n    => ~1e-3 9\n\n"),
            "each SELECT $x FROM t\n  max(k) => 2\n  min(k) => ~0.001 1\n\n");
}

TEST(SqlCase, GivesTheSameInEveryMode) {
  const auto cases =
      read_sql_cases(kTable +
                         "run BEGIN; INSERT INTO t VALUES (3, '{5,7}')\n"
                         "query SELECT sum(v * 2) AS s FROM t\n----\ns\n{12,18}\n\nrun COMMIT\n",
                     "t.sqltest");
  for (const SqlMode& mode : all_sql_modes()) {
    EXPECT_THAT(check_sql_case(cases[0], mode).problems, IsEmpty()) << mode.name;
  }
}

TEST(CloseTexts, ComparesNumbersWithinTheToleranceAndTheRestExactly) {
  EXPECT_TRUE(are_close("{1,2.5} | x", "{1,2.5000001} | x", 1e-6));
  EXPECT_FALSE(are_close("{1,2.5} | x", "{1,2.51} | x", 1e-6));
  EXPECT_FALSE(are_close("{1,2.5} | x", "{1,2.5} | y", 1e-6));
  EXPECT_FALSE(are_close("{1,2}", "{1,2,3}", 1e-6));
  EXPECT_FALSE(are_close("1", "NULL", 1e-6));
  EXPECT_FALSE(are_close("1", "1.0000001", 0));
}

}  // namespace
}  // namespace tessera::sql_cases
