#include "optimizer/partition/model/cost.h"

#include <gtest/gtest.h>

#include "optimizer/partition/model/partitioning.h"
#include "optimizer/partition/problem/viable.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::partition::cost_test {
namespace {

StatementModel statement_of(const std::string& text) {
  return model_of(graph_of(text)).statements.back();
}

/// Z[i,k] = sum[j] X[i,j] * Y[j,k], all 8 by 8: the example of EinDecomp §4 to §8.
StatementModel product() {
  return statement_of(
      "%0 = input X : f32[i=8,j=8]\n%1 = input Y : f32[j=8,k=8]\n"
      "%2 = einsum(%0, %1) {Z[i,k] = sum[j] X[i,j] * Y[j,k]} : f32[i=8,k=8]\noutput(%2) Z\n");
}

/// The lengths of a partition vector over i, k, j in the order of the statement's labels.
std::vector<int64_t> lengths(const StatementModel& statement, int64_t i, int64_t j, int64_t k) {
  std::vector<int64_t> lengths;
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    const std::string& name = statement.names[label];
    const int64_t pieces = name == "i" ? i : name == "j" ? j : k;
    lengths.push_back((statement.extents[label] - 1) / pieces + 1);
  }
  return lengths;
}

double repartition(const Shape& shape, std::vector<int64_t> from, std::vector<int64_t> to) {
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    from[mode] = (shape[mode] - 1) / from[mode] + 1;
    to[mode] = (shape[mode] - 1) / to[mode] + 1;
  }
  return repartition_cost(shape, from, to);
}

TEST(PartitionCost, JoinAndAggregationOfThePapersExample) {
  const StatementModel z = product();
  EXPECT_EQ(num_calls(z, lengths(z, 4, 1, 4)), 16);
  EXPECT_EQ(join_cost(z, lengths(z, 4, 1, 4)), 512);
  EXPECT_EQ(aggregation_cost(z, lengths(z, 4, 1, 4)), 0);
  EXPECT_EQ(join_cost(z, lengths(z, 2, 2, 4)), 384);
  EXPECT_EQ(aggregation_cost(z, lengths(z, 2, 2, 4)), 64);
  EXPECT_EQ(join_cost(z, lengths(z, 2, 1, 8)), 640);
  EXPECT_EQ(aggregation_cost(z, lengths(z, 2, 1, 8)), 0);
  EXPECT_EQ(join_cost(z, lengths(z, 2, 4, 2)), 256);
  EXPECT_EQ(aggregation_cost(z, lengths(z, 2, 4, 2)), 192);
}

TEST(PartitionCost, WhatIsGroupedIsCountedOnce) {
  const auto flops = [](const std::string& groups) {
    const StatementModel sums = statement_of(
        "%0 = input G : i64[n=100]\n%1 = input X : f32[n=100,e=8]\n%2 = einsum(%0, %1) {[g=" +
        groups + ",e=8,n=100] Y[g,e] = sum[n] only(in_group(G[n], index(g), " + groups +
        "), X[n,e])} : f32[g=" + groups + ",e=8]\noutput(%2) Y\n");
    return num_flops(sums);
  };
  EXPECT_EQ(flops("5"), flops("5000"));
  EXPECT_EQ(flops("5"), 100 * 8 * 3);  // in_group, only, add
}

TEST(PartitionCost, RepartitionOfThePapersExample) {
  EXPECT_EQ(repartition({8, 8}, {2, 4}, {4, 1}), 288 + 32);
  EXPECT_EQ(repartition({8, 8}, {1, 1}, {2, 2}), 256);
  EXPECT_EQ(repartition({8, 8}, {2, 2}, {1, 1}), 240);
  EXPECT_EQ(repartition({8, 8}, {4, 2}, {4, 2}), 0);
  EXPECT_EQ(repartition({}, {}, {}), 0);
  EXPECT_EQ(repartition({1, 1}, {1, 1}, {1, 1}), 0);
}

/// The paper's formula, for lengths that divide each other.
double papers_repartition(const Shape& shape, const std::vector<int64_t>& from,
                          const std::vector<int64_t>& to) {
  double n = 1;
  double n_p = 1;
  double n_c = 1;
  double n_int = 1;
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    const double producer = static_cast<double>(shape[mode] / from[mode]);
    const double consumer = static_cast<double>(shape[mode] / to[mode]);
    n *= static_cast<double>(shape[mode]);
    n_p *= producer;
    n_c *= consumer;
    n_int *= std::min(producer, consumer);
  }
  return (n_c / n_int - 1) * (n / n_c) * (n_c + n_p) + (n_p == n_int ? 0 : n_p * n / n_c);
}

TEST(PartitionCost, RepartitionIsThePapersWherePiecesDivideEachOther) {
  const std::vector<int64_t> powers = {1, 2, 4, 8, 16};
  for (const int64_t a : powers) {
    for (const int64_t b : powers) {
      for (const int64_t c : powers) {
        for (const int64_t d : powers) {
          const Shape shape = {16, 32};
          EXPECT_EQ(repartition(shape, {a, b}, {c, d}), papers_repartition(shape, {a, b}, {c, d}))
              << a << "," << b << " to " << c << "," << d;
        }
      }
    }
  }
}

/// The definition, tile by tile: see repartition_cost.
double counted_repartition(int64_t extent, int64_t from, int64_t to) {
  double cost = 0;
  for (int64_t begin = 0; begin < extent; begin += to) {
    const int64_t end = std::min(extent, begin + to);
    double others = -1;
    double received = 0;
    double resident = 0;
    for (int64_t old = 0; old < extent; old += from) {
      const int64_t old_end = std::min(extent, old + from);
      if (old < end && begin < old_end) {
        others += 1;
        received += static_cast<double>(old_end - old);
        if (begin <= old && old_end <= end) {
          resident = std::max(resident, static_cast<double>(old_end - old));
        }
      }
    }
    cost += others * static_cast<double>(end - begin) + received - resident;
  }
  return cost;
}

TEST(PartitionCost, RaggedRepartitionCountsThePiecesThatThereAre) {
  for (int64_t extent = 1; extent <= 13; ++extent) {
    for (int64_t from = 1; from <= extent; ++from) {
      for (int64_t to = 1; to <= extent; ++to) {
        EXPECT_EQ(repartition_cost({extent}, std::vector<int64_t>{from}, std::vector<int64_t>{to}),
                  counted_repartition(extent, from, to))
            << extent << ": " << from << " to " << to;
      }
    }
  }
}

TEST(PartitionCost, TablesHaveTheCostsOfPairs) {
  const Shape shape = {7, 12, 1};
  const std::vector<std::vector<int64_t>> from = {{7, 12, 1}, {2, 5, 1}, {3, 1, 1}};
  const std::vector<std::vector<int64_t>> to = {{4, 6, 1}, {2, 5, 1}};
  const std::vector<double> costs = repartition_costs(shape, from, to);
  ASSERT_EQ(costs.size(), 6U);
  for (size_t row = 0; row < from.size(); ++row) {
    for (size_t column = 0; column < to.size(); ++column) {
      EXPECT_EQ(costs[row * 2 + column], repartition_cost(shape, from[row], to[column]));
    }
  }
}

TEST(PartitionCost, RaggedPiecesAreSummed) {
  const StatementModel z = statement_of(
      "%0 = input X : f32[i=5,j=7]\n%1 = input Y : f32[j=7,k=3]\n"
      "%2 = einsum(%0, %1) {Z[i,k] = sum[j] X[i,j] * Y[j,k]} : f32[i=5,k=3]\noutput(%2) Z\n");
  // Pieces of i are 2,2,1; of j 4,3; of k 2,1: X goes to two columns of calls, Y to three rows.
  const std::vector<int64_t> ragged = lengths(z, 3, 2, 2);
  EXPECT_EQ(num_calls(z, ragged), 12);
  EXPECT_EQ(join_cost(z, ragged), 5 * 7 * 2 + 7 * 3 * 3);
  EXPECT_EQ(aggregation_cost(z, ragged), 5 * 3);
  EXPECT_EQ(largest_call_bytes(z, ragged), 4 * (2 * 4 + 4 * 2 + 2 * 2));
}

TEST(PartitionCost, ADiagonalReadsTheTilesOnIt) {
  const StatementModel d = statement_of(
      "%0 = input A : f32[i=5,i=5]\n%1 = einsum(%0) {d[i] = A[i,i]} : f32[i=5]\noutput(%1) d\n");
  EXPECT_EQ(join_cost(d, {2}), 2 * 2 + 2 * 2 + 1 * 1);
}

TEST(PartitionCost, AStateOfTwoNumbersTravelsAsTwo) {
  const StatementModel best = statement_of(
      "%0 = input A : f32[i=4,j=6]\n"
      "%1 = einsum(%0) {b[i] = argmax[j] A[i,j]} : i64[i=4]\noutput(%1) b\n");
  EXPECT_EQ(aggregation_cost(best, lengths(best, 1, 3, 1)), 2 * 4 * 2);
}

TEST(PartitionCost, ReadingOneVertexAtTwoPlacesCountsTwice) {
  const StatementModel gram = statement_of(
      "%0 = input A : f32[i=4,k=6]\n"
      "%1 = einsum(%0, %0) {G[i,j] = sum[k] x0[i,k] * x1[j,k]} : f32[i=4,j=4]\noutput(%1) G\n");
  EXPECT_EQ(gram.operands.size(), 2U);
  const StatementModel square = statement_of(
      "%0 = input A : f32[i=4]\n%1 = einsum(%0) {S[i] = A[i] * A[i]} : f32[i=4]\noutput(%1) S\n");
  EXPECT_EQ(square.operands.size(), 1U);
}

TEST(PartitionCost, EmptyAndScalarStatementsCostNothing) {
  const StatementModel scalar = statement_of(
      "%0 = input a : f32[]\n%1 = einsum(%0) {b[] = a[] + a[]} : f32[]\noutput(%1) b\n");
  EXPECT_EQ(num_calls(scalar, {}), 1);
  EXPECT_EQ(join_cost(scalar, {}), 1);
  const StatementModel empty = statement_of(
      "%0 = input A : f32[i=0]\n%1 = einsum(%0) {b[] = sum[i] A[i]} : f32[]\noutput(%1) b\n");
  EXPECT_EQ(num_calls(empty, {1}), 1);
  EXPECT_EQ(join_cost(empty, {1}), 0);
  EXPECT_EQ(aggregation_cost(empty, {1}), 0);
}

std::vector<std::vector<int64_t>> viable(const std::vector<int64_t>& extents, int64_t pieces) {
  std::vector<Cuttable> labels;
  std::vector<int32_t> order;
  for (const int64_t extent : extents) {
    order.push_back(static_cast<int32_t>(labels.size()));
    labels.push_back({extent, false});
  }
  return viable_vectors(labels, pieces, order, 4096);
}

TEST(ViableVectors, EightPiecesOfThreeLabelsAreTenVectors) {
  const auto vectors = viable({8, 8, 8}, 8);
  EXPECT_EQ(vectors.size(), 10U);
  EXPECT_EQ(std::count(vectors.begin(), vectors.end(), std::vector<int64_t>{2, 4, 1}), 1);
  EXPECT_EQ(std::count(vectors.begin(), vectors.end(), std::vector<int64_t>{1, 4, 2}), 1);
}

TEST(ViableVectors, ThePapersCountForTenHalvingsOfSixLabels) {
  EXPECT_EQ(viable({1024, 1024, 1024, 1024, 1024, 1024}, 1024).size(), 3003U);
}

TEST(ViableVectors, EntriesAboveTheExtentDropOut) {
  EXPECT_EQ(viable({2, 8}, 8), (std::vector<std::vector<int64_t>>{{1, 8}, {2, 4}}));
}

TEST(ViableVectors, AnyNumberOfPieces) {
  EXPECT_EQ(viable({12, 12}, 6),
            (std::vector<std::vector<int64_t>>{{1, 6}, {2, 3}, {3, 2}, {6, 1}}));
  EXPECT_EQ(viable({7, 100}, 7), (std::vector<std::vector<int64_t>>{{1, 7}, {7, 1}}));
}

TEST(ViableVectors, TheLargestProductBelowWhereNoneIsExact) {
  EXPECT_EQ(viable({3, 5}, 64), (std::vector<std::vector<int64_t>>{{3, 5}}));
  EXPECT_EQ(viable({5}, 4), (std::vector<std::vector<int64_t>>{{3}}));
  EXPECT_EQ(viable({}, 64), (std::vector<std::vector<int64_t>>{{}}));
  EXPECT_EQ(viable({0, 1}, 64), (std::vector<std::vector<int64_t>>{{1, 1}}));
}

/// The largest product of numbers of pieces that two labels can have, found by trying all.
int64_t largest_product(int64_t one, int64_t other, int64_t pieces) {
  int64_t largest = 1;
  for (int64_t first = 1; first <= std::max<int64_t>(one, 1); ++first) {
    for (int64_t second = 1; second <= std::max<int64_t>(other, 1); ++second) {
      const bool is_possible = is_reachable(one, first) && is_reachable(other, second);
      if (is_possible && first * second <= pieces) {
        largest = std::max(largest, first * second);
      }
    }
  }
  return largest;
}

TEST(ViableVectors, NoLargerProductIsPossibleWhateverTheExtents) {
  for (int64_t one = 0; one < 40; one += 3) {
    for (int64_t other = one; other < 120; other += 7) {
      for (int64_t pieces = 1; pieces < 2 * (one + 1) * other; pieces += 1 + pieces / 3) {
        const std::vector<int64_t> first = viable({other, one}, pieces).front();
        EXPECT_EQ(first[0] * first[1], largest_product(one, other, pieces))
            << one << " x " << other << " in " << pieces;
      }
    }
  }
}

TEST(ViableVectors, LongLabelsTakeNoLongerThanShortOnes) {
  EXPECT_EQ(viable({572'697}, 1 << 19), (std::vector<std::vector<int64_t>>{{305'438}}));
  for (int64_t pieces = 1'000'000; pieces < 1'001'000; pieces += 50) {
    EXPECT_FALSE(viable({1'048'573, 8, 1'048'573}, pieces).empty());
    EXPECT_FALSE(viable({2, 1'048'573, 3}, pieces).empty());
  }
}

TEST(ViableVectors, ManyLabelsStayWithinTheBound) {
  const auto vectors = viable(std::vector<int64_t>(27, 2), 64);
  EXPECT_LE(vectors.size(), 4096U);
  ASSERT_FALSE(vectors.empty());
  for (const std::vector<int64_t>& vector : vectors) {
    EXPECT_EQ(std::count(vector.begin(), vector.end(), 2), 6);
  }
}

TEST(ViableVectors, WholeLabelsStayWhole) {
  const auto vectors = viable_vectors({{8, true}, {8, false}}, 4, {0, 1}, 4096);
  EXPECT_EQ(vectors, (std::vector<std::vector<int64_t>>{{1, 4}}));
}

TEST(PartitionCost, CutsOfADiagonalShortenTwoModes) {
  const StatementModel diagonal = statement_of(
      "%0 = input A : f32[i=64,j=64,k=16]\n"
      "%1 = einsum(%0) {t[k] = sum[i] A[i,i,k]} : f32[k=16]\noutput(%1) t\n");
  const double whole = 64 * 64 * 16 * 4;
  const double result = 16 * 4;
  EXPECT_EQ(join_cost(diagonal, lengths(diagonal, 4, 1, 1)), 16 * 16 * 16 * 4);
  EXPECT_EQ(calls_of_bytes(diagonal, whole / 16), 4 + result / (whole / 16));
  // No more pieces than there are positions: then k is cut too.
  EXPECT_EQ(calls_of_bytes(diagonal, 32), 64 * 2 + result / 32);
  EXPECT_EQ(calls_of_bytes(product(), 256), 3);
}

}  // namespace
}  // namespace tessera::optimizer::partition::cost_test
