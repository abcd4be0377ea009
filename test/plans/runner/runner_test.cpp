// That the runner finds what is wrong: cases with planted faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/ia/text.h"
#include "plans/runner/check_case.h"
#include "plans/runner/line_difference.h"
#include "plans/runner/modes.h"
#include "plans/runner/placed_run.h"

namespace tessera::plans {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kProduct =
    "# name: p.test\n"
    "\n"
    "case a product\n"
    "data A f64[2,2] = iota, B f64[2,2] = iota\n"
    "program\n"
    "  input A[i,k], B[k,j]\n"
    "  C[i,j] = sum[k] A[i,k] * B[k,j]\n"
    "  output C\n";

Case case_of(const std::string& rest) {
  return read_cases(kProduct + rest, "p.test").at(0);
}

std::string refusal_of(const std::string& text) {
  try {
    read_cases(text, "p.test");
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(CaseFile, SaysWhereItIsNotUnderstood) {
  EXPECT_EQ(refusal_of("data A f64[2]\n"),
            "p.test:1: a file begins with `case NAME`, not with `data`");
  EXPECT_THAT(refusal_of("case a\nexpekt fuse\n"), HasSubstr("p.test:2: `expekt` is not known"));
  EXPECT_THAT(refusal_of("case a\ndata A g64[2]\n"), HasSubstr("p.test:2: expected `data NAME"));
  EXPECT_THAT(refusal_of("case a\nstage tra\n"), HasSubstr("p.test:2: `----` follows"));
  EXPECT_THAT(refusal_of("case a\nset wrokers 2\n"), HasSubstr("no setting `wrokers 2`"));
  EXPECT_THAT(refusal_of("case a\nset only fus\n"), HasSubstr("there is no rule fus"));
  EXPECT_THAT(refusal_of("case a\ntolerance 1e-3\n"), HasSubstr("a tolerance has a reason"));
}

TEST(CaseFile, ARewriteReplacesWhatIsExpectedAndNothingElse) {
  const std::string text = kProduct + "values\n----\nold\n\n# the end\n";
  const CaseReport report = check_case(read_cases(text, "p.test").at(0));
  ASSERT_THAT(report.seen, SizeIs(1));
  const std::string after = rewritten(text, report.seen);
  EXPECT_EQ(after, kProduct + "values\n----\nC f64[2,2] = 2 3; 6 11\n\n# the end\n");
  EXPECT_THAT(check_case(read_cases(after, "p.test").at(0)).problems, IsEmpty());
}

TEST(CheckCase, NamesTheLineAndShowsTheDifference) {
  EXPECT_THAT(check_case(case_of("values\n----\nC f64[2,2] = 2 3; 6 12\n")).problems,
              ElementsAre("p.test:9: a product: values differs (- expected, + seen)\n"
                          "- C f64[2,2] = 2 3; 6 12\n"
                          "+ C f64[2,2] = 2 3; 6 11\n"));
}

TEST(CheckCase, ARuleThatDoesNotFireIsAProblemAndSoIsOneThatDoes) {
  EXPECT_THAT(check_case(case_of("expect contraction_path\n")).problems,
              ElementsAre(HasSubstr("p.test:9: a product: rule contraction_path does not fire")));
  EXPECT_THAT(check_case(case_of("expect contraction_path at C\n")).problems, SizeIs(1));
  EXPECT_THAT(check_case(case_of("expect-not contraction_path at C: a product of two\n")).problems,
              IsEmpty());
  EXPECT_THAT(check_case(case_of("expect-not contraction_path at C: the moon\n")).problems,
              ElementsAre(HasSubstr("gives another reason: (a product of two operands as it is)")));
}

TEST(CheckCase, AnErrorIsAProblemUnlessItIsExpected) {
  const std::string wrong = "set tile z=2\n";
  EXPECT_THAT(check_case(case_of(wrong)).problems, ElementsAre(HasSubstr("no label z")));
  EXPECT_THAT(check_case(case_of("error\n----\nerror: no\n")).problems,
              ElementsAre(HasSubstr("- error: no")));
}

TEST(CheckCase, RulesWithoutCasesAreNamed) {
  const std::vector<Case> cases = {case_of("expect fuse\nexpect-not merge_elementwise\n")};
  const std::vector<std::string> missing = rules_without_cases(cases);
  EXPECT_THAT(missing,
              testing::Contains(HasSubstr("rule fuse has no case with `expect-not fuse`")));
  EXPECT_THAT(missing, testing::Not(testing::Contains(HasSubstr("case with `expect fuse`"))));
}

TEST(LineDifference, LeavesOutWhatIsFarFromIt) {
  EXPECT_EQ(line_difference("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nx\ne\nf\ng\nh\n"),
            "  b\n  c\n- d\n+ x\n  e\n  f\n  ...\n");
}

TEST(Modes, EachPlansAndRunsAndFindsAnotherResult) {
  const Case each = case_of("");
  Baseline baseline = *baseline_of(each);
  for (const Mode& mode : all_modes()) {
    const ModeReport report = mode.run(each, baseline);
    EXPECT_GT(report.num_runs, 0) << mode.name;
    EXPECT_THAT(report.problems, IsEmpty()) << mode.name;
  }
  baseline.results->at("C") = tensor_by_rule({DType::f64, {2, 2}}, "const 5", "C");
  for (const Mode& mode : all_modes()) {
    EXPECT_THAT(mode.run(each, baseline).problems, testing::Contains(HasSubstr("instead of 5")))
        << mode.name;
  }
}

/// The results of a text on three sites, or what is wrong with it.
std::string placed(const std::string& nodes) {
  const engine::Session session;
  const ia::Graph graph =
      ia::parse_graph({"text", "ia sites=3\n" + nodes}, session.functions(), session.aggregates());
  Case each;
  each.inputs["A"] = {{DType::f64, {3, 3}}, "const 1"};
  std::string text;
  for (const auto& [name, tensor] : run_placed(graph, each)) {
    text += name + " " + value_text(*tensor);
  }
  return text;
}

TEST(PlacedRun, ShufflesBeforeItPastes) {
  EXPECT_EQ(placed("%0 = input A at=(i+j) : (i:3x1,j:3x1) -> f64[i=3,j=3]\n"
                   "%1 = shuf(%0) at=(i)\n"
                   "%2 = local_repartition(%1) : (i:3x1,j:1x3) -> f64[i=3,j=3]\n"
                   "output(%2) R\n"),
            "R f64[3,3] = 1 1 1; 1 1 1; 1 1 1");
}

/// A placement that no arrow makes and no text has: made by hand, past verify.
std::string broken(const ia::Placement& shuffled, const ia::Placement& pasted) {
  const engine::Session session;
  ia::Graph graph = ia::parse_graph({"text",
                                     "ia sites=3\n"
                                     "%0 = input A at=(i+j) : (i:3x1,j:3x1) -> f64[i=3,j=3]\n"
                                     "%1 = shuf(%0) at=(i)\n"
                                     "%2 = local_repartition(%1) : (i:3x1,j:1x3) -> f64[i=3,j=3]\n"
                                     "output(%2) R\n"},
                                    session.functions(), session.aggregates());
  std::get<ia::Shuf>(graph.nodes[1].op).to = shuffled;
  graph.nodes[1].placement = shuffled;
  graph.nodes[2].placement = pasted;
  try {
    run_placed(graph, {});
    return "";
  } catch (const Error& error) {
    return error.full_text();
  }
}

TEST(PlacedRun, FindsPiecesThatLieApart) {
  const ia::Placement by_column = ia::ByMap{{{"j", 1, 1, 0}}};
  const ia::Placement by_row = ia::ByMap{{{"i", 1, 1, 0}}};
  EXPECT_EQ(broken(by_row, by_row), "");
  EXPECT_THAT(broken(by_column, by_row), HasSubstr("are not on its site"));
  EXPECT_THAT(broken(by_column, by_row), HasSubstr("at node %2"));
}

TEST(PlacedRun, FindsThatAPlacementIsNotSo) {
  const ia::Placement by_row = ia::ByMap{{{"i", 1, 1, 0}}};
  EXPECT_THAT(broken(by_row, ia::ByMap{{{"i", 2, 1, 0}}}),
              HasSubstr("node %2 () lacks the tuple (i=1,j=0) on 3 sites"));
  EXPECT_THAT(broken(by_row, ia::Everywhere{}),
              HasSubstr("the tuple (i=0,j=0) is not on site 1, but its placement says otherwise"));
}

}  // namespace
}  // namespace tessera::plans
