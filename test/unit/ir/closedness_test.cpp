#include "ir/tra/closedness.h"

#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/tra/key_interval.h"
#include "ir/tra/key_predicate.h"
#include "ir/tra/keys.h"
#include "unit/ir/graph_text.h"

namespace tessera::tra::closedness_test {
namespace {

using testing::HasSubstr;

/// What a relation's tuples say of a rekey, looked at one by one: every true complaint.
std::set<std::string> true_complaints(const Rekey& rekey, const std::vector<KeyDim>& from,
                                      const std::vector<KeyDim>& to) {
  std::set<std::string> complaints;
  std::multimap<Key, Key> taken;
  for (const Key& key : all_keys(from)) {
    const Key image = mapped_key(from, key, rekey.key);
    for (auto [other, end] = taken.equal_range(image); other != end; ++other) {
      const auto add = [&](const Key& one, const Key& two) {
        complaints.insert("rekey: the tuples " + to_string(one, from) + " and " +
                          to_string(two, from) + " both get the key " + to_string(image, to));
      };
      add(other->second, key);
      add(key, other->second);
    }
    taken.emplace(image, key);
  }
  for (const Key& key : all_keys(to)) {
    if (taken.count(key) == 0) {
      complaints.insert("rekey: no tuple gets the key " + to_string(key, to) +
                        ", so the keys have a gap");
    }
  }
  return complaints;
}

/// An affine map of a key space, moved so that no key is less than 0.
struct DrawnRekey {
  RelationType from;
  Rekey rekey;
  std::vector<KeyDim> to;
};

DrawnRekey drawn(std::mt19937& random) {
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  DrawnRekey made;
  const int num_dims = 1 + below(3);
  for (int dim = 0; dim < num_dims; ++dim) {
    made.from.key.push_back(BareDim{std::string(1, static_cast<char>('i' + dim)), 1 + below(3)});
  }
  const std::vector<int64_t> steps = {1, 1, 1, 2, 3, 4, 6, -1, -2, -3};
  for (int row = 0, rows = 1 + below(3); row < rows; ++row) {
    KeyExpression expression{std::string(1, static_cast<char>('a' + row)), {}, 0};
    int64_t smallest = 0;
    int64_t largest = 0;
    for (const KeyDim& dim : made.from.key) {
      if (below(rows == 1 ? 6 : 2) == 0) {
        continue;
      }
      const int64_t step = steps[static_cast<size_t>(below(static_cast<int>(steps.size())))];
      expression.terms.push_back({label_of(dim), step});
      (step < 0 ? smallest : largest) += step * (num_keys(dim) - 1);
    }
    expression.offset = below(8) == 0 ? 1 - smallest : -smallest;
    made.to.push_back(BareDim{expression.label, largest + expression.offset + 1});
    made.rekey.key.push_back(std::move(expression));
  }
  return made;
}

TEST(Closedness, OfDrawnMapsIsWhatTheirTuplesSay) {
  std::mt19937 random(20261122);
  int num_closed = 0;
  for (int round = 0; round < 20000; ++round) {
    const DrawnRekey drawn_rekey = drawn(random);
    const std::set<std::string> complaints =
        true_complaints(drawn_rekey.rekey, drawn_rekey.from.key, drawn_rekey.to);
    const std::optional<std::string> problem =
        problem_of_rekey(drawn_rekey.rekey, drawn_rekey.from, drawn_rekey.to);
    ASSERT_EQ(problem.has_value(), !complaints.empty()) << round;
    ASSERT_TRUE(!problem || complaints.count(*problem) == 1) << *problem;
    num_closed += problem ? 0 : 1;
  }
  EXPECT_GT(num_closed, 1000);
}

TEST(Closedness, KeysOfAnyNumberAreCheckedAtOnce) {
  const auto error = [](const std::string& key) {
    return error_of(parse_tra,
                    "tra\n%0 = input A : (i:1000000x1,j:1000000x1) -> f64[i=1000000,j=1000000]\n"
                    "%1 = rekey(%0) key=" +
                        key + "\noutput(%1) R\n");
  };
  // A test of every key would take days.
  EXPECT_EQ(error("(a=j,b=i)"), "");
  EXPECT_THAT(error("(a=i+j,b=j)"), HasSubstr("no tuple gets the key (a=1999998,b=0)"));
  EXPECT_THAT(error("(a=i)"),
              HasSubstr("the tuples (i=0,j=0) and (i=0,j=1) both get the key (a=0)"));
  EXPECT_THAT(error("(a=2*i,b=j)"), HasSubstr("no tuple gets the key (a=1,b=0)"));
}

std::string filtered(const std::string& predicate, const std::string& then = "output(%1) R\n") {
  return "tra\n%0 = input A : (i:3000x1,j:3000x1) -> f64[i=3000,j=3000]\n"
         "%1 = filter(%0) where={" +
         predicate + "}\n" + then;
}

TEST(Closedness, AResultNamesTheFirstKeyThatAFilterLeavesOut) {
  EXPECT_EQ(error_of(parse_tra, filtered("index(i) + index(j) >= 0")), "");
  EXPECT_EQ(error_of(parse_tra, filtered("floor_divide(3*index(i) - index(j), 3000) >= -1")), "");
  EXPECT_THAT(
      error_of(parse_tra, filtered("index(i) + 2*index(j) < 8997")),
      HasSubstr("result R: there is no tuple with key (i=2999,j=2999): a filter leaves it out"));
  EXPECT_THAT(error_of(parse_tra, filtered("index(i) != 1234")), HasSubstr("(i=1234,j=0)"));
  EXPECT_THAT(error_of(parse_tra, filtered("remainder(index(j), 7) < 6")), HasSubstr("(i=0,j=6)"));
}

TEST(Closedness, WhatNobodyCanTellIsRefused) {
  EXPECT_THAT(error_of(parse_tra, filtered("index(i) * index(j) - index(j) * index(i) == 0")),
              HasSubstr("cannot tell whether a filter leaves out a tuple"));
  // Distinct keys of all tuples are distinct keys of some.
  EXPECT_EQ(error_of(parse_tra, filtered("index(i) == index(j)",
                                         "%2 = rekey(%1) key=(n=3000*i+j)\n%3 = aggregate(%2) "
                                         "keep=() by=sum:f64\noutput(%3) R\n")),
            "");
  EXPECT_THAT(error_of(parse_tra, filtered("index(i) == index(j)",
                                           "%2 = rekey(%1) key=(n=i)\n%3 = aggregate(%2) keep=() "
                                           "by=sum:f64\noutput(%3) R\n")),
              HasSubstr("cannot tell whether every tuple gets a key of its own"));
}

TEST(Closedness, IntervalsSayNothingThatAKeyContradicts) {
  const std::vector<std::string> predicates = {
      "index(i) < 3",
      "index(i) * index(j) - 4 <= index(i)",
      "remainder(index(i), 3) == 1",
      "floor_divide(index(i) - 4, 2) != index(j)",
      "maximum(index(i), 3) > minimum(index(j), 5)",
      "logical_or(index(i) == 2, logical_not(index(j) >= 4))",
      "logical_and(-index(i) < index(j), index(i) + index(j) < 9)"};
  for (const std::string& predicate : predicates) {
    const Graph graph =
        parse_tra("tra\n%0 = input A : (i:7x1,j:6x1) -> f64[i=7,j=6]\n%1 = filter(%0) where={" +
                  predicate + "}\noutput(%1) R\n");
    const auto& scalar = std::get<Filter>(graph.nodes[1].op).predicate;
    for (int64_t box = 0; box < int64_t{7} * 6; ++box) {
      const std::vector<KeyRange> ranges = {{box / 6, 7}, {box % 6, 6}};
      const Verdict verdict = holds_within(scalar, ranges);
      for (const Key& key : Keys(ranges)) {
        EXPECT_FALSE(verdict == Verdict::all && !*holds(scalar, key)) << predicate;
        EXPECT_FALSE(verdict == Verdict::none && *holds(scalar, key)) << predicate;
      }
    }
    const Keys all = all_keys(graph.nodes[1].type.key);
    const std::vector<Key> keys(all.begin(), all.end());
    const auto first = std::find_if(keys.begin(), keys.end(),
                                    [&](const Key& key) { return !*holds(scalar, key); });
    EXPECT_EQ(first_left_out(scalar, graph.nodes[1].type.key).key,
              first == keys.end() ? std::nullopt : std::optional(*first))
        << predicate;
  }
}

}  // namespace
}  // namespace tessera::tra::closedness_test
