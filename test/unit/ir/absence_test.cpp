#include "ir/tra/absence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/ia/text.h"
#include "ir/tra/key_predicate.h"
#include "ir/tra/presence.h"
#include "ir/tra/text.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"
#include "unit/expr/registries.h"

namespace tessera::tra::absence_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Graph parse(const std::string& text) {
  return parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
}

template <class Step>
std::string error_of(Step step, ErrorKind kind = ErrorKind::user) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.message();
    return error.message();
  }
  return "";
}

std::string printed(const Graph& graph) {
  return to_text(describe(graph, expr::all_aggregates()));
}

/// The type of the last node of a text whose lines may leave types out.
std::string last_type(const std::string& lines) {
  const Graph graph = parse("tra\n" + lines);
  return type_text(graph.nodes.back().type);
}

/// What is known of the last node's tuples after an operator on A, of which (0,1) and (1,0) are
/// absent.
std::string present_after(const std::string& operation) {
  const Graph graph =
      parse("tra\n%0 = input A : (i:2x2,j:2x2) only {(0,0),(1,1)} -> f64[i=4,j=4]\n" + operation);
  EXPECT_EQ(parse(printed(graph)), graph);
  return to_string(graph.nodes.back().type.present);
}

TEST(Presence, EveryOperatorSaysWhichTuplesItMakes) {
  EXPECT_EQ(present_after("%1 = filter(%0) where={index(i) == 0}\n"), " only {(0,0)}");
  EXPECT_EQ(present_after("%1 = rekey(%0) key=(n=2*i+j)\n"), " only {(0),(3)}");
  EXPECT_EQ(present_after("%1 = rekey(%0) key=(n=i)\n"), "");
  EXPECT_EQ(present_after("%1 = transform(%0) kernel={o[i,j] = -x0[i,j]}\n"),
            " only {(0,0),(1,1)}");
  EXPECT_EQ(present_after("%1 = aggregate(%0) keep=(j) by=sum:f64\n"), "");
  EXPECT_EQ(present_after("%1 = filter(%0) where={index(i) == 0}\n"
                          "%2 = aggregate(%1) keep=(j) by=sum:f64\n"),
            " only {(0)}");
  EXPECT_EQ(present_after("%1 = join(%0, %0) on=(i,j; j,k) kernel={o[i,j,k] = x0[i,j] * x1[j,k]} "
                          ": (i:2x2,j:2x2,k:2x2) -> f64[i=4,j=4,k=4]\n"),
            " only {(0,0,0),(1,1,1)}");
  EXPECT_EQ(present_after("%1 = concat(%0) label=j\n"), "");
  EXPECT_EQ(present_after("%1 = repartition(%0) key=(i:4x1,j:2x2)\n"),
            " only {(0,0),(1,0),(2,1),(3,1)}");
  EXPECT_EQ(present_after("%1 = repartition(%0) key=(i:1x4,j:2x2)\n"), "");
  EXPECT_EQ(present_after("%1 = repartition(%0) key=(i:1x4,j:4x1)\n"), "");
  EXPECT_EQ(present_after("%1 = repartition(%0) key=(i:[0,1,4],j:2x2)\n"),
            " only {(0,0),(1,0),(1,1)}");
}

TEST(Presence, ATileHasTheTuplesOfWhatItIsCutFrom) {
  EXPECT_EQ(last_type("%0 = input A : (i:2x2) only {(1)} -> f64[i=4,j=4]\n"
                      "%1 = tile(%0) dim=j:2x2\n"),
            "(i:2x2,j:2x2) only {(1,0),(1,1)} -> f64[i=4,j=4]");
}

TEST(Presence, AFilterOfACompleteRelationIsListedIfItsKeysAreFew) {
  const auto filtered = [](const std::string& key, const std::string& where) {
    return last_type("%0 = input A : (i:" + key +
                     ",j:3 bare) -> f64[i=4]\n%1 = filter(%0) where={" + where + "}\n");
  };
  EXPECT_EQ(filtered("2x2", "index(i) < index(j)"),
            "(i:2x2,j:3 bare) only {(0,1),(0,2),(1,2)} -> f64[i=4]");
  EXPECT_EQ(filtered("2x2", "logical_or(remainder(index(j), 2) == 1, index(i) * 2 - 1 > 0)"),
            "(i:2x2,j:3 bare) only {(0,1),(1,0),(1,1),(1,2)} -> f64[i=4]");
  EXPECT_EQ(filtered("2x2", "index(i) >= 0"), "(i:2x2,j:3 bare) -> f64[i=4]");
  EXPECT_EQ(filtered("2x2", "index(i) > 7"), "(i:2x2,j:3 bare) only {} -> f64[i=4]");
  EXPECT_EQ(filtered("2x2", "sqrt(f64(index(i))) > 0.5"), "(i:2x2,j:3 bare) some -> f64[i=4]");
  EXPECT_EQ(filtered("2x2", "remainder(1, index(i)) == 0"), "(i:2x2,j:3 bare) some -> f64[i=4]")
      << "a fault";
}

TEST(Presence, KeysThatAreManyAreNotListed) {
  EXPECT_EQ(last_type("%0 = input A : (i:5000 bare) -> f64[j=4]\n"
                      "%1 = filter(%0) where={index(i) == 0}\n"),
            "(i:5000 bare) some -> f64[j=4]");
}

TEST(Presence, AnInputListsKeysThatItCanHave) {
  const auto refusal = [](const std::string& present) {
    return error_of([&] { parse("tra\n%0 = input A : (i:2x2) " + present + " -> f64[i=4]\n"); });
  };
  EXPECT_EQ(refusal("only {(1)}"), "");
  EXPECT_THAT(refusal("only {(2)}"), HasSubstr("there is no key (2)"));
  EXPECT_THAT(refusal("only {(0,0)}"), HasSubstr("there is no key (0,0)"));
  EXPECT_EQ(refusal("only {(0),(1)}"), "");
  EXPECT_THAT(refusal("some"), HasSubstr("an input says which tuples it has"));
}

TEST(Presence, ALineThatSaysItHasToSayWhatFollows) {
  const std::string filter =
      "tra\n%0 = input A : (i:2x2) -> f64[i=4]\n"
      "%1 = filter(%0) where={index(i) == 0} : (i:2x2)";
  EXPECT_EQ(error_of([&] { parse(filter + " -> f64[i=4]\n"); }), "");
  EXPECT_EQ(error_of([&] { parse(filter + " only {(0)} -> f64[i=4]\n"); }), "");
  EXPECT_THAT(
      error_of([&] { parse(filter + " only {(1)} -> f64[i=4]\n"); }),
      HasSubstr("given as (i:2x2) only {(1)} -> f64[i=4] but follows as (i:2x2) only {(0)}"));
}

/// A and B joined by a kernel and merged, where A has one tile of two along j.
std::string merged(const std::string& kernel, const std::string& aggregate,
                   const std::string& dtype) {
  return "tra\n%0 = input A : (i:2x2,j:2x2) only {(0,0),(1,0)} -> " + dtype + "[i=4,j=4]\n" +
         "%1 = input B : (j:2x2) -> " + dtype + "[j=4]\n" +
         "%2 = join(%0, %1) on=(i,j; j) kernel={" + kernel + "} : (i:2x2,j:2x2) -> " + dtype +
         "[i=4]\n" + "%3 = aggregate(%2) keep=(i) by=" + aggregate + ":" + dtype +
         "\noutput(%3) Y\n";
}

TEST(Absence, IsRightWhereTheIdentityAnnihilates) {
  for (const char* text :
       {"o[i] = sum[j] (x0[i,j] * x1[j])", "o[i] = sum[j] (x1[j] * -1.0 * x0[i,j])",
        "o[i] = sum[j] (x0[i,j] * exp(x1[j]))"}) {
    EXPECT_EQ(error_of([&] { parse(merged(text, "sum", "f64")); }), "") << text;
  }
  EXPECT_EQ(error_of([&] { parse(merged("o[i] = min[j] (x0[i,j] + x1[j])", "min", "f64")); }), "");
  EXPECT_EQ(error_of([&] { parse(merged("o[i] = max[j] minimum(x0[i,j], x1[j])", "max", "i64")); }),
            "");
}

TEST(Absence, IsRefusedWhereItDoesNot) {
  EXPECT_THAT(
      error_of([] { parse(merged("o[i] = sum[j] (x0[i,j] + x1[j])", "sum", "f64")); }),
      HasSubstr("node %3 (): where %0 (i=0,j=1) is absent, %1 (j=1) goes unused: under sum "
                "that is right only where the kernel gives its identity as soon as one "
                "argument is the identity, and add of %2 does not; multiply would, or keep all "
                "tuples"));
  for (const char* text :
       {"o[i] = sum[j] (exp(x0[i,j]) * x1[j])", "o[i] = sum[j] (x0[i,j] * x1[j] + 1.0)",
        "o[i] = max[j] (x0[i,j] * x1[j])"}) {
    EXPECT_THAT(error_of([&] { parse(merged(text, "sum", "f64")); }), HasSubstr("goes unused"))
        << text;
  }
  EXPECT_THAT(error_of([] { parse(merged("o[i] = min[j] (x0[i,j] + x1[j])", "min", "i64")); }),
              HasSubstr("maximum would"));
  EXPECT_THAT(error_of([] { parse(merged("o[i] = prod[j] (x0[i,j] * x1[j])", "prod", "f64")); }),
              HasSubstr("keep all tuples"));
}

/// A with one tile of two along j, a column b and another c; then a join of A and b, and what the
/// text does with that.
std::string error_after_join(const std::string& kernel, const std::string& rest) {
  return error_of([&] {
    parse(
        "tra\n%0 = input A : (i:2x2,j:2x2) only {(0,0),(1,0)} -> f64[i=4,j=4]\n"
        "%1 = input b : (j:2x2) -> f64[j=4]\n%2 = input c : (j:2x2) -> f64[j=4]\n"
        "%3 = join(%0, %1) on=(i,j; j) kernel={o[i,j] = " +
        kernel + "} : (i:2x2,j:2x2) -> f64[i=4,j=4]\n" + rest);
  });
}

/// The product of %3 with c, summed.
const std::string kProductSummed =
    "%4 = join(%3, %2) on=(i,j; j) kernel={o[i] = sum[j] (x0[i,j] * x1[j])} : (i:2x2,j:2x2) -> "
    "f64[i=4]\n%5 = aggregate(%4) keep=(i) by=sum:f64\n";

TEST(Absence, IsFollowedThroughEveryJoin) {
  EXPECT_EQ(error_after_join("x0[i,j] * x1[j]", kProductSummed), "");
  EXPECT_THAT(error_after_join("x0[i,j] + x1[j]", kProductSummed),
              HasSubstr("node %5 (): where %0 (i=0,j=1) is absent, %1 (j=1) goes unused: under sum "
                        "that is right only where the kernel gives its identity as soon as one "
                        "argument is the identity, and add of %3 does not"));
}

TEST(Absence, OfAMaskAboveMakesUpForWhatIsLeftOutBelow) {
  const std::string masked =
      "%4 = join(%3, %0) on=(i,j; i,j) kernel={o[i] = sum[j] (x0[i,j] * x1[i,j])} : "
      "(i:2x2,j:2x2) -> f64[i=4]\n%5 = aggregate(%4) keep=(i) by=sum:f64\n";
  EXPECT_EQ(error_after_join("x0[i,j] + x1[j]", masked), "") << "(0 + b) * 0";
}

TEST(Absence, IsFollowedThroughEveryOperator) {
  const std::string sum = "%6 = aggregate(%5) keep=() by=sum:f64\n";
  for (const char* lines :
       {"%4 = transform(%3) kernel={o[i,j] = -x0[i,j]}\n%5 = rekey(%4) key=(n=2*i+j)\n",
        "%4 = concat(%3) label=i\n%5 = tile(%4) dim=i:4x1\n",
        "%4 = filter(%3) where={index(j) >= 0}\n%5 = repartition(%4) key=(i:4x1,j:2x2)\n"}) {
    EXPECT_THAT(error_after_join("x0[i,j] + x1[j]", lines + sum), HasSubstr("add of %3 does not"));
    EXPECT_EQ(error_after_join("x0[i,j] * x1[j]", lines + sum), "");
  }
}

TEST(Absence, StaysTheIdentityUpToTheAggregate) {
  const auto error_with = [](const std::string& body) {
    return error_after_join("x0[i,j] * x1[j]", "%4 = transform(%3) kernel={o[i,j] = " + body +
                                                   "}\n%5 = aggregate(%4) keep=(i) by=sum:f64\n");
  };
  for (const char* body : {"sqrt(x0[i,j])", "relu(x0[i,j]) / 3.0", "maximum(x0[i,j], 0.0)",
                           "where(x0[i,j] > 1.0, 2.0, x0[i,j])", "x0[i,j] - x0[i,j] * x0[i,j]",
                           "f64(f32(x0[i,j]))", "cos(x0[i,j]) - 1.0"}) {
    EXPECT_EQ(error_with(body), "") << body;
  }
  for (const char* body : {"exp(x0[i,j])", "x0[i,j] + 1.0", "1.0 / x0[i,j]",
                           "x0[i,j] + f64(index(i))", "minimum(x0[i,j], -1.0)"}) {
    EXPECT_THAT(error_with(body),
                HasSubstr("absent tuples of %3 stand for 0.0, as sum merges them, but %4 makes "
                          "something else of that: keep all tuples, or filter the absent ones out "
                          "of %4"))
        << body;
  }
}

TEST(Absence, ThatAFilterMeansIsNoTrouble) {
  EXPECT_EQ(error_after_join("x0[i,j] + x1[j]",
                             "%4 = filter(%3) where={index(j) == 0}\n"
                             "%5 = aggregate(%4) keep=(i) by=sum:f64\n"),
            "");
  EXPECT_THAT(error_after_join("x0[i,j] + x1[j]",
                               "%4 = filter(%3) where={index(j) == index(i)}\n"
                               "%5 = aggregate(%4) keep=() by=sum:f64\n"),
              HasSubstr("goes unused"));
}

TEST(Absence, IsNotTheIdentityOutsideOfAPad) {
  const auto error_with = [](const std::string& index, const std::string& by) {
    return error_of([&] {
      parse(
          "tra\n%0 = input X : (i:2x2) only {(0)} -> f64[i=4,k=6]\n"
          "%1 = input w : (i:2x2) -> f64[i=4]\n"
          "%2 = join(%0, %1) on=(i; i) kernel={[i=4,k=6] o[k] = " +
          by + "[i] (x0[i," + index + "] " + (by == "sum" ? "*" : "+") +
          " x1[i])} : (i:2x2) -> f64[k=6]\n%3 = aggregate(%2) keep=() by=" + by + ":f64\n");
    });
  };
  EXPECT_EQ(error_with("k", "sum"), "");
  EXPECT_EQ(error_with("k-1 pad 0", "sum"), "");
  EXPECT_EQ(error_with("k-1 edge", "sum"), "");
  EXPECT_EQ(error_with("k-1 reflect", "sum"), "");
  EXPECT_THAT(error_with("k-1 pad 5", "sum"), HasSubstr("goes unused"));
  EXPECT_EQ(error_with("k-1 pad -inf", "max"), "");
  EXPECT_THAT(error_with("k-1 pad 0", "max"), HasSubstr("goes unused"));
}

TEST(Absence, OfBothOrOfARelationByItselfIsNoTrouble) {
  const std::string a = "tra\n%0 = input A : (i:2x2,j:2x2) only {(0,0),(1,1)} -> f64[i=4,j=4]\n";
  EXPECT_EQ(error_of([&] {
              parse(a +
                    "%1 = join(%0, %0) on=(i,j; i,j) kernel={o[i] = sum[j] (x0[i,j] + x1[i,j])} : "
                    "(i:2x2,j:2x2) -> f64[i=4]\n%2 = aggregate(%1) keep=(i) by=sum:f64\n");
            }),
            "");
  EXPECT_EQ(error_of([&] {
              parse(a +
                    "%1 = transform(%0) kernel={o[i] = sum[j] exp(x0[i,j])}\n"
                    "%2 = aggregate(%1) keep=(i) by=sum:f64\n");
            }),
            "");
}

/// A maximum over j of a relation with two tuples, and then something.
std::string after_maximum(const std::string& present, const std::string& rest) {
  return "tra\n%0 = input A : (i:2x2,j:2x2) only " + present + " -> f64[i=4,j=4]\n" +
         "%1 = aggregate(%0) keep=(i) by=max:f64\n" + rest;
}

TEST(Absence, OfAGroupStandsForOneIdentity) {
  const std::string sum = "%2 = aggregate(%1) keep=() by=sum:f64\n";
  const std::string first = "{(0,0),(0,1)}";
  EXPECT_THAT(
      error_of([&] { parse(after_maximum(first, sum)); }),
      HasSubstr("node %2 (): group (i=1) of %1 has no tuple, which is -inf under max but 0.0 "
                "under sum: keep a tuple in every group of %1, or filter the empty ones "
                "out of it"));
  EXPECT_EQ(error_of([&] { parse(after_maximum("{(0,0),(1,1)}", sum)); }), "");
  EXPECT_EQ(
      error_of([&] { parse(after_maximum(first, "%2 = aggregate(%1) keep=() by=max:f64\n")); }),
      "");
}

TEST(Absence, OfAGroupIsSeenPastJoinsAndNotPastAFilterThatLeavesItOut) {
  const auto error_with = [](const std::string& rest) {
    return error_of([&] { parse(after_maximum("{(0,0),(0,1)}", rest)); });
  };
  EXPECT_THAT(error_with("%2 = input b : (i:2x2) -> f64[i=4]\n"
                         "%3 = join(%1, %2) on=(i; i) kernel={o[i,j] = x0[i,j] * x1[i]} : (i:2x2) "
                         "-> f64[i=4,j=2]\n%4 = aggregate(%3) keep=() by=sum:f64\n"),
              HasSubstr("node %4 (): group (i=1) of %1 has no tuple"));
  const std::string sum = "%3 = aggregate(%2) keep=() by=sum:f64\n";
  EXPECT_EQ(error_with("%2 = filter(%1) where={index(i) < 1}\n" + sum), "");
  EXPECT_THAT(error_with("%2 = filter(%1) where={index(i) > 0}\n" + sum),
              HasSubstr("node %3 (): group (i=1) of %1 has no tuple"));
}

TEST(Absence, OfAGroupStaysTheIdentityUpToTheNextAggregate) {
  const auto error_with = [](const std::string& function) {
    return error_of([&] {
      parse(
          "tra\n%0 = input A : (i:2x2,j:2x2) only {(0,0),(0,1)} -> f64[i=4,j=4]\n"
          "%1 = aggregate(%0) keep=(i) by=sum:f64\n%2 = transform(%1) kernel={o[i] = sum[j] " +
          function + "(x0[i,j])}\n%3 = aggregate(%2) keep=() by=sum:f64\n");
    });
  };
  EXPECT_EQ(error_with("sqrt"), "");
  EXPECT_THAT(error_with("exp"), HasSubstr("absent tuples of %1 stand for 0.0"));
}

TEST(Absence, ThatIsNotKnownIsTakenForGranted) {
  const auto text = [](const std::string& op) {
    return "tra\n%0 = input A : (i:2x2,j:2x2) -> f64[i=4,j=4]\n%1 = input B : (j:2x2) -> f64[j=4]\n"
           "%2 = filter(%0) where={sqrt(f64(index(i))) > 0.5}\n"
           "%3 = join(%2, %1) on=(i,j; j) kernel={o[i] = sum[j] (x0[i,j] " +
           op + " x1[j])} : (i:2x2,j:2x2) -> f64[i=4]\n%4 = aggregate(%3) keep=(i) by=sum:f64\n";
  };
  EXPECT_EQ(error_of([&] { parse(text("*")); }), "");
  EXPECT_THAT(error_of([&] { parse(text("+")); }), HasSubstr("tuples of %2 may be absent"));
}

TEST(Absence, IsSeenPastWhatMovesTuples) {
  const std::string ia =
      "ia sites=2\n%0 = input A at=(i) : (i:2x2,j:2x2) only {(0,0),(1,0)} -> f64[i=4,j=4]\n"
      "%1 = input B at=everywhere : (j:2x2) -> f64[j=4]\n"
      "%2 = local_join(%0, %1) on=(i,j; j) kernel={o[i] = sum[j] (x0[i,j] + x1[j])} : "
      "(i:2x2,j:2x2) "
      "-> f64[i=4]\n%3 = bcast(%2)\n%4 = local_aggregate(%3) keep=(i) by=sum:f64\n";
  EXPECT_THAT(error_of([&] {
                ia::parse_graph({"g", ia}, expr::all_functions(), expr::all_aggregates());
              }),
              HasSubstr("node %4 (): where %0 (i=0,j=1) is absent"));
}

TEST(RelationsOfRows, ArePrintedAndReadBack) {
  const std::string text =
      "tra\n%0 = input orders : (n:4 bare) -> rows[expected=10,at_most=100](i64[], f32[e=8])\n"
      "%1 = filter(%0) where={index(n) < 2} : (n:4 bare) only {(0),(1)}\n"
      "      -> rows[expected=10,at_most=100](i64[], f32[e=8])\n"
      "%2 = rekey(%1) key=(m=n+1) : (m:5 bare) only {(1),(2)}\n"
      "      -> rows[expected=10,at_most=100](i64[], f32[e=8])\n";
  const Graph graph = parse(text);
  EXPECT_EQ(graph.nodes[0].type.rows, (RowCount{10, 100}));
  EXPECT_EQ(parse(printed(graph)), graph);
  EXPECT_THAT(printed(graph), HasSubstr("rows[expected=10,at_most=100](i64[], f32[e=8])"));
}

TEST(RelationsOfRows, AreRefusedByWhatTakesArrays) {
  const std::string rows = "tra\n%0 = input R : (i:2 bare) -> rows[8](f64[])\n";
  const auto refusal = [&](const std::string& line) {
    return error_of([&] { parse(rows + line); }, ErrorKind::unsupported);
  };
  EXPECT_THAT(
      refusal("%1 = transform(%0) kernel={o[] = -x0[]}\n"),
      HasSubstr("transform: the tuples of %0 are rows, and only filter and rekey take rows"));
  EXPECT_THAT(refusal("%1 = aggregate(%0) keep=(i) by=sum:f64\n"), HasSubstr("aggregate: the"));
  EXPECT_THAT(error_of([&] {
                parse(
                    "tra\n%0 = input R : (i:2 bare) -> "
                    "rows[expected=9,at_most=8](f64[])\n");
              }),
              HasSubstr("9 rows are expected, but a tuple has at most 8"));
}

}  // namespace
}  // namespace tessera::tra::absence_test
