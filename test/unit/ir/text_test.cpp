#include "ir/einsum/text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "ir/tra/text_relation.h"
#include "unit/ir/graph_text.h"

namespace tessera::text_test {
namespace {

TEST(EinsumText, IsReprintedAsItWas) {
  const einsum::Graph graph = parse_einsum(kEinsum);
  const std::string text = to_text(describe(graph, expr::all_aggregates()));
  EXPECT_EQ(text, kEinsum);
  EXPECT_EQ(parse_einsum(text), graph);
  EXPECT_EQ(graph.vertices[0].origin, (Origin{"Q", "attention.ein", 2, 7}));
}

TEST(EinsumText, HasFunctionsOfWholeArrays) {
  const std::string text =
      "einsum\n"
      "%0 = input A : f64[n=3,i=2,j=2]\n"
      "%1 = input B : f64[n=3,k=5,i=2]\n"
      "%2 = whole(%0) {V[i,n,j] = whole[i,j] inverse(A[n,i,j])} : f64[i=2,n=3,j=2]\n"
      "%3 = whole(%0, %1) {[n=3,j=2,k=5,i=2] X[n,j,k] = whole[i,j] solve(A[n,i,j], B[n,k,i])}\n"
      "      : f64[n=3,j=2,k=5]\n"
      "output(%3) X\n";
  const einsum::Graph graph = parse_einsum(text);
  EXPECT_EQ(parse_einsum(to_text(describe(graph, expr::all_aggregates()))), graph);
  const auto& solve = std::get<einsum::Whole>(graph.vertices[3].op);
  EXPECT_EQ(solve.what.core, (std::vector<expr::LabelNumber>{3, 1}));
  EXPECT_EQ(solve.what.over, (std::vector<expr::LabelNumber>{3}));
}

TEST(EinsumText, RefusesUnsoundFunctionsOfWholeArrays) {
  const auto problem = [](const std::string& statement, const std::string& type) {
    return error_of(parse_einsum,
                    "einsum\n%0 = input A : f64[n=3,i=2,j=2]\n%1 = input B : f64[i=2,j=3]\n"
                    "%2 = whole(%0, %1) {" +
                        statement + "} : " + type + "\n");
  };
  EXPECT_NE(problem("V[n,i,j] = whole[i,j] inverse(2:f64 * A[n,i,j])", "f64[n=3,i=2,j=2]")
                .find("argument 1 of a whole function is no operand read at labels"),
            std::string::npos);
  EXPECT_NE(problem("V[i,j] = whole[i,j] inverse(B[i,j])", "f64[i=2,j=3]")
                .find("the core labels of a square matrix differ in extent"),
            std::string::npos);
  EXPECT_NE(problem("V[n,i] = whole[i,j] inverse(A[n,i,j])", "f64[n=3,i=2]")
                .find("a core label that the function keeps is none of the result"),
            std::string::npos);
  EXPECT_NE(problem("V[n,i,j] = whole[i] inverse(A[n,i,j])", "f64[n=3,i=2,j=2]")
                .find("inverse has 2 core labels and 1 arguments"),
            std::string::npos);
  EXPECT_NE(error_of(parse_einsum,
                     "einsum\n%0 = input A : f64[i=2,j=2]\n"
                     "%1 = einsum(%0) {V[i,j] = inverse(A[i,j])} : f64[i=2,j=2]\n")
                .find("inverse is called element by element, and it is of whole arrays"),
            std::string::npos);
}

TEST(EinsumText, ErrorsPointAtThePlace) {
  EXPECT_EQ(error_of(parse_einsum,
                     "einsum\n%0 = input A : f32[i=3]\n%1 = einsum(%0) {B[i] = C[i]} "
                     ": f32[i=3]\n"),
            "g:3:25: error: there is no operand C\n"
            "  %1 = einsum(%0) {B[i] = C[i]} : f32[i=3]\n"
            "                          ^");
  EXPECT_EQ(error_of(parse_einsum, "einsum\n%0 = einsum(%0) {B[] = 1:i64} : i64[]\n"),
            "g:2:13: error: there is no node %0 before this\n"
            "  %0 = einsum(%0) {B[] = 1:i64} : i64[]\n"
            "              ^^");
  EXPECT_NE(error_of(parse_einsum, "einsum\n%0 = einsum {B[] = 1:i64} : f32[]\n")
                .find("vertex %0 (B): its type is given as f32[] but follows as i64[]"),
            std::string::npos);
  EXPECT_NE(error_of(parse_einsum, "tra\n").find("this is the text of stage tra"),
            std::string::npos);
  EXPECT_NE(error_of(parse_einsum, "").find("expected a stage's header"), std::string::npos);
  EXPECT_NE(error_of(parse_einsum, "einsum\n%1 = input A : f32[]\n").find("this is %0"),
            std::string::npos);
}

constexpr const char* kTra =
    "tra\n"
    "%0 = input Q : (s:2x64,a:[0,10,64]) -> f32[s=128,a=64]   # Q\n"
    "%1 = input W : (a:[0,10,64],h:8/3) -> f32[a=64,h=8]\n"
    "%2 = join(%0, %1) on=(s,a; a,h) kernel={o[s,h] = sum[a] x0[s,a] * x1[a,h]}\n"
    "      : (s:2x64,h:8/3,a:[0,10,64]) -> f32[s=128,h=8]   # QH (attention.ein:5:1)\n"
    "%3 = aggregate(%2) keep=(s,h) by=sum:f32 : (s:2x64,h:8/3) -> f32[s=128,h=8]\n"
    "%4 = repartition(%3) : (s:1x128,h:1x8) -> f32[s=128,h=8]\n"
    "%5 = concat(%4) label=s : (h:1x8) -> f32[s=128,h=8]\n"
    "%6 = tile(%5) dim=s:4x32 : (h:1x8,s:4x32) -> f32[s=128,h=8]\n"
    "%7 = filter(%6) where={index(s) < 2} : (h:1x8,s:4x32) -> f32[s=128,h=8]\n"
    "%8 = rekey(%7) key=(k=2*s+1,h=h) : (k:8 bare,h:1x8) -> f32[s=32,h=8]\n"
    "%9 = transform(%4) kernel={(o0,o1)[s] = argmax[h] (x0[s,h], index(h))}\n"
    "      : (s:1x128,h:1x8) -> (f32[s=128], i64[s=128])\n"
    "%10 = join on=() kernel={[i=4] () o[i] = index(i)} : (i:2x2) -> i64[i=4]\n"
    "%11 = join(%10) on=(i) kernel={o[] = sum[i] x0[i]} : (i:2x2) -> i64[]\n"
    "%12 = aggregate(%11) keep=(i:1x4) by=sum:i64 : (i:1x4) -> i64[]\n"
    "output(%8) Y\n";

TEST(TraText, IsReprintedAsItWas) {
  const tra::Graph graph = parse_tra(kTra);
  EXPECT_EQ(to_text(describe(graph, expr::all_aggregates())), kTra);
  EXPECT_EQ(parse_tra(to_text(describe(graph, expr::all_aggregates()))), graph);
}

TEST(TraText, SaysBothTypes) {
  EXPECT_EQ(error_of(parse_tra,
                     "tra\n%0 = input Q : (s:2x64) -> f32[s=128]\n"
                     "%1 = concat(%0) label=s : (s:1x128) -> f32[s=128]\n"),
            "g:3:27: error: the type is given as (s:1x128) -> f32[s=128] but follows as () -> "
            "f32[s=128]\n"
            "  %1 = concat(%0) label=s : (s:1x128) -> f32[s=128]\n"
            "                            ^^^^^^^^^^^^^^^^^^^^^^^");
  EXPECT_NE(error_of(parse_tra, "tra\n%0 = input Q : (s:2x64) -> f32[s=100]\n")
                .find("mode s has extent 100 but its key cuts 128"),
            std::string::npos);
  EXPECT_NE(error_of(parse_tra, "tra\n%0 = input Q : (s:[0,5,5,128]) -> f32[s=128]\n")
                .find("do not rise"),
            std::string::npos);
  EXPECT_NE(error_of(parse_tra, "tra\n%0 = input Q : (s:99999999999x1) -> f32[s=99999999999]\n")
                .find("no way to cut a mode"),
            std::string::npos);
}

TEST(TraText, NamesAUsersMonoidInTheHeader) {
  tra::Graph graph = parse_tra(kTra);
  auto& aggregate = std::get<tra::Aggregate>(graph.nodes[3].op);
  aggregate.monoid.name = "my sum";
  const std::string text = to_text(describe(graph, expr::all_aggregates()));
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "tra aggregate={\"my sum\":f32 (a, b) -> a + b identity " +
                to_string(aggregate.monoid.identity[0]) + "}");
  EXPECT_EQ(parse_tra(text), graph);
}

TEST(IaText, IsReprintedAsItWas) {
  const ia::Graph graph = parse_ia(kIa);
  EXPECT_EQ(to_text(describe(graph, expr::all_aggregates())), kIa);
  EXPECT_EQ(parse_ia(to_text(describe(graph, expr::all_aggregates()))), graph);
}

TEST(IaText, WhatFollowsMayBeLeftOut) {
  std::string text =
      "ia sites=4\n"
      "%0 = input Q at=(2*s+a) : (s:2x64,a:2x32) -> f32[s=128,a=64]\n"
      "%1 = bcast(%0)\n"
      "%2 = local_concat(%1) label=s\n"
      "output(%2) Y\n";
  const ia::Graph graph = parse_ia(text);
  EXPECT_EQ(graph.nodes[2].placement, ia::Placement(ia::Everywhere{}));
  EXPECT_EQ(tra::type_text(graph.nodes[2].type), "(a:2x32) -> f32[s=128,a=64]");
  text.replace(text.find("at=(2*s+a) "), 11, "");
  EXPECT_EQ(error_of(parse_ia, text).substr(0, 46),
            "g:2:1: error: an input needs its placement\n  %");
}

TEST(IaText, SaysBothPlacements) {
  EXPECT_EQ(error_of(parse_ia,
                     "ia sites=4\n"
                     "%0 = input Q at=(s) : (s:2x64) -> f32[s=128]\n"
                     "%1 = local_repartition(%0) at=(s) : (s:4x32) -> f32[s=128]\n"),
            "g:3:31: error: the placement is given as (s) but follows as (s/2)\n"
            "  %1 = local_repartition(%0) at=(s) : (s:4x32) -> f32[s=128]\n"
            "                                ^^^");
}

TEST(Document, WrapsAndReadsBack) {
  ir::Document document{"einsum", {{"a", "1", {}}, {"b", "x y", {}}, {"b", "", {}}}, {}};
  ir::Description node;
  node.id = "%0";
  node.op = "join";
  node.operands = {{"", "%1", {}}, {"", "t2[0:4;1:5]@[0;0]", {}}};
  std::string words = "\"a quoted # name ) with spaces\"[i]";
  for (int word = 0; word < 60; ++word) {
    words += " + w" + std::to_string(word);
  }
  node.parameters = {{"kernel", words, {}}, {"", "{braces} first", {}}, {"empty", "", {}}};
  node.type.text = "(s:2x64) -> f32[s=128]";
  node.comment = "line\nbreak \\ and # and trailing space ";
  document.nodes = {node, node};
  const std::string text = to_text(document);
  EXPECT_EQ(ir::parse_document({"d", text}), document) << text;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, 100U);
    begin = end + 1;
  }
}

TEST(Document, PassesOverEmptyLinesAndComments) {
  const ir::Document document =
      ir::parse_document({"d", "# a plan\n\ntra\r\n\n# next\n%0 = input A : ()   # A\r\n\n"});
  ASSERT_EQ(document.nodes.size(), 1U);
  EXPECT_EQ(document.stage, "tra");
  EXPECT_EQ(document.nodes[0].comment, "A");
}

TEST(Document, LineBreaksOfWindowsAreNoneOfItsCharacters) {
  try {
    ir::parse_document({"d", "tra\r\n%0 = \r\noutput(%0) A\r\n"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "d:2:6: error: expected an operator\n  %0 = \n       ^");
  }
}

TEST(Document, JsonAndDotHoldEveryNode) {
  const ir::Document document = describe(parse_tra(kTra), expr::all_aggregates());
  const nlohmann::json json = to_json(document);
  EXPECT_EQ(json["stage"], "tra");
  EXPECT_EQ(json["nodes"].size(), document.nodes.size());
  EXPECT_EQ(json["nodes"][2]["operands"], (std::vector<std::string>{"%0", "%1"}));
  EXPECT_EQ(json["nodes"][0]["parameters"]["what"], "Q");
  EXPECT_NE(to_dot(document).find("\"%0\" -> \"%2\";"), std::string::npos);
}

}  // namespace
}  // namespace tessera::text_test
