#include "placement/bounds/least_projections.h"

#include <bit>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tessera::placement::least_projections_test {
namespace {

const std::vector<Projection> kProduct = {{{0, 1}}, {{1, 2}}, {{0, 2}}};  // i,k k,j i,j

/// Where no edge of the cube is cut off: 3 v^(2/3).
TEST(LeastProjections, OfAProductAreACube) {
  EXPECT_NEAR(least_projections({8, 8, 8}, kProduct, 64), 3 * 16, 1e-9);
  EXPECT_NEAR(least_projections({40'000, 40'000, 40'000}, kProduct, 8e12), 3 * 4e8, 1e-3);
  EXPECT_NEAR(least_projections({8, 8, 8}, kProduct, 512), 3 * 64, 1e-9);
  EXPECT_NEAR(least_projections({8, 8, 8}, kProduct, 1), 3, 1e-9);
}

/// The three cases of Al Daas et al.: of i, k, j = 1024, 64, 16 all matrices have 64 * 1024,
/// 64 * 16 and 1024 * 16 elements.
TEST(LeastProjections, OfALongProductAreASlabOrABar) {
  const std::vector<int64_t> extents = {1024, 64, 16};
  const double points = 1024.0 * 64 * 16;
  // 1D: pieces of i. 8 * (64 + 16) + 64 * 16.
  EXPECT_NEAR(least_projections(extents, kProduct, points / 16), 64 * 80 + 1024, 1e-6);
  // 2D: j whole, i and k square.
  EXPECT_NEAR(least_projections(extents, kProduct, 16 * 32 * 32), 2 * 16 * 32 + 32 * 32, 1e-6);
  // 3D.
  EXPECT_NEAR(least_projections(extents, kProduct, 1000), 3 * 100, 1e-6);
}

TEST(LeastProjections, WeighElements) {
  // a i k + b k j + c i j with all products equal: 3 (a b c)^(1/3) v^(2/3).
  const std::vector<Projection> weighed = {{{0, 1}, 8}, {{1, 2}, 1}, {{0, 2}, 1}};
  EXPECT_NEAR(least_projections({1000, 1000, 1000}, weighed, 1e6), 3 * 2 * 1e4, 1e-4);
  const std::vector<Projection> nothing = {{{0, 1}, 0}, {{1, 2}, 0}};
  EXPECT_EQ(least_projections({4, 4, 4}, nothing, 8), 0);
  EXPECT_EQ(least_projections({4, 4, 4}, {}, 8), 0);
}

TEST(LeastProjections, OfLabelsThatNoArrayHasAreFree) {
  EXPECT_NEAR(least_projections({8, 100}, {{{0}, 1}}, 50), 1, 1e-9);
  EXPECT_NEAR(least_projections({8, 100}, {{{0}, 1}}, 400), 4, 1e-9);
  EXPECT_NEAR(least_projections({}, {{{}, 4}}, 1), 4, 1e-9);
}

/// The weight of the projections of the points whose bits are set, of a space of these extents.
double weight_of(uint32_t points, const std::vector<int64_t>& extents,
                 const std::vector<Projection>& projections) {
  double weight = 0;
  for (const Projection& projection : projections) {
    std::set<std::vector<int64_t>> elements;
    for (uint32_t left = points; left != 0; left &= left - 1) {
      int64_t rest = std::countr_zero(left);
      std::vector<int64_t> point;
      for (const int64_t extent : extents) {
        point.push_back(rest % extent);
        rest /= extent;
      }
      std::vector<int64_t> element;
      for (const int32_t label : projection.labels) {
        element.push_back(point[static_cast<size_t>(label)]);
      }
      elements.insert(element);
    }
    weight += projection.weight * static_cast<double>(elements.size());
  }
  return weight;
}

/// Every set of points of a small space, for arrays of any labels.
TEST(LeastProjections, AreNoMoreThanThoseOfAnySet) {
  std::mt19937_64 draw(1);
  const std::vector<std::vector<int64_t>> spaces = {{2, 2, 2}, {3, 2, 2}, {2, 5},
                                                    {1, 4, 2}, {9},       {2, 1, 2, 2}};
  for (int round = 0; round < 60; ++round) {
    const std::vector<int64_t>& extents = spaces[draw() % spaces.size()];
    std::vector<Projection> projections(1 + draw() % 4);
    for (Projection& projection : projections) {
      projection.weight = static_cast<double>(draw() % 4);
      for (int32_t label = 0; label < static_cast<int32_t>(extents.size()); ++label) {
        if (draw() % 2 == 0) {
          projection.labels.push_back(label);
        }
      }
    }
    int64_t points = 1;
    for (const int64_t extent : extents) {
      points *= extent;
    }
    std::vector<double> least(static_cast<size_t>(points) + 1, 1e9);
    for (uint32_t set = 1; set < uint32_t{1} << points; ++set) {
      double& known = least[static_cast<size_t>(std::popcount(set))];
      known = std::min(known, weight_of(set, extents, projections));
    }
    double quotient = 1e9;
    for (int64_t count = 1; count <= points; ++count) {
      const double bound = least_projections(extents, projections, static_cast<double>(count));
      EXPECT_LE(bound, least[static_cast<size_t>(count)] * (1 + 1e-12)) << "round " << round;
      EXPECT_LE(bound / static_cast<double>(count), quotient * (1 + 1e-9)) << "round " << round;
      quotient = bound / static_cast<double>(count);
    }
    EXPECT_NEAR(least_projections(extents, projections, static_cast<double>(points)), least.back(),
                1e-9)
        << "the whole space is one box";
  }
}

}  // namespace
}  // namespace tessera::placement::least_projections_test
