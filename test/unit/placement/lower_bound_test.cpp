#include "placement/bounds/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/einsum/text.h"
#include "unit/known.h"

namespace tessera::placement::lower_bound_test {
namespace {

einsum::Graph graph_of(const std::string& nodes) {
  return einsum::parse_graph({"program.einsum", "einsum\n" + nodes}, known().functions,
                             known().aggregates);
}

/// sum[k] A[i,k] * B[k,j] of these extents.
einsum::Graph product(const std::string& type, int64_t i, int64_t k, int64_t j) {
  return graph_of(fmt::format(
      "%0 = input A : {0}[i={1},k={2}]\n%1 = input B : {0}[k={2},j={3}]\n"
      "%2 = einsum(%0, %1) {{C[i,j] = sum[k] A[i,k] * B[k,j]}} : {0}[i={1},j={3}]\noutput(%2) C\n",
      type, i, k, j));
}

double moved(const einsum::Graph& graph, double sites) {
  return communication_bounds(graph, {1 / sites, {}}).program.moved_bytes;
}

TEST(LowerBound, OfASquareProductIsThatOfCubes) {
  const einsum::Graph square = product("f32", 40'000, 40'000, 40'000);
  const double matrix = 4.0 * 40'000 * 40'000;
  EXPECT_EQ(moved(square, 1), 0);
  EXPECT_NEAR(moved(square, 8) / (3 * matrix * (2 - 1)), 1, 1e-9);
  EXPECT_NEAR(moved(square, 64) / (3 * matrix * (4 - 1)), 1, 1e-9);
  EXPECT_NEAR(moved(product("f64", 100, 100, 100), 27) / (3 * 8e4 * (3 - 1)), 1, 1e-9);
}

/// Al Daas et al.: where one extent is long only the smallest matrix moves, where two are the two
/// smaller ones.
TEST(LowerBound, OfALongProductIsThatOfItsSmallMatrices) {
  EXPECT_NEAR(moved(product("f32", 64'000, 1'000, 1'000), 8), 4.0 * 7 * 1'000 * 1'000, 1);
  EXPECT_NEAR(moved(product("f32", 1'000, 64'000, 1'000), 64), 4.0 * 63 * 1'000 * 1'000, 1);
  // 16 sites in a square: two matrices of 64000 x 1000, each on 4 sites.
  EXPECT_NEAR(moved(product("f32", 64'000, 1'000, 64'000), 16), 4.0 * 2 * 3 * 64e6, 1);
}

TEST(LowerBound, OfSeveralFactorsCountsEach) {
  // X is long: what is moved is A, B and M, on 4 x 4 x 4 sites 16 - 1 copies of each.
  const einsum::Graph mttkrp = graph_of(
      "%0 = input X : f32[i=1000,j=1000,k=1000]\n%1 = input A : f32[j=1000,r=32]\n"
      "%2 = input B : f32[k=1000,r=32]\n%3 = einsum(%0, %1, %2) {M[i,r] = sum[j,k] "
      "X[i,j,k] * A[j,r] * B[k,r]} : f32[i=1000,r=32]\noutput(%3) M\n");
  EXPECT_NEAR(moved(mttkrp, 64), 4.0 * 3 * 15 * 32'000, 0.1);
  EXPECT_NEAR(moved(mttkrp, 8), 4.0 * 3 * 3 * 32'000, 0.1);
  const einsum::Graph ttm = graph_of(
      "%0 = input X : f32[i=1000,j=1000,k=1000]\n%1 = input U : f32[k=1000,r=100]\n"
      "%2 = einsum(%0, %1) {Y[i,j,r] = sum[k] X[i,j,k] * U[k,r]} : "
      "f32[i=1000,j=1000,r=100]\noutput(%2) Y\n");
  EXPECT_NEAR(moved(ttm, 8), 4.0 * 7 * 100'000, 1e-3);
}

TEST(LowerBound, OfABatchIsThatOfOneProductForEverySite) {
  const einsum::Graph batch = graph_of(
      "%0 = input A : f32[b=64,i=100,k=100]\n%1 = input B : f32[b=64,k=100,j=100]\n"
      "%2 = einsum(%0, %1) {C[b,i,j] = sum[k] A[b,i,k] * B[b,k,j]} : "
      "f32[b=64,i=100,j=100]\noutput(%2) C\n");
  EXPECT_EQ(moved(batch, 64), 0);
  EXPECT_NEAR(moved(batch, 512) / (64 * 3 * 4e4 * (2 - 1)), 1, 1e-9);
}

TEST(LowerBound, OfWhatEverySiteCanDoAloneIsNothing) {
  const einsum::Graph softmax = graph_of(
      "%0 = input X : f32[i=4000,j=600]\n"
      "%1 = einsum(%0) {s[i] = sum[j] X[i,j]} : f32[i=4000]\n"
      "%2 = einsum(%0, %1) {Y[i,j] = X[i,j] / s[i]} : f32[i=4000,j=600]\n"
      "output(%2) Y\n");
  EXPECT_EQ(moved(softmax, 64), 0);
  // More sites than rows: sums of a row meet.
  EXPECT_NEAR(moved(softmax, 40'000), 2 * 4.0 * (40'000 - 4000), 1e-3);
}

TEST(LowerBound, OfPartialResultsCountsTheirStates) {
  const einsum::Graph mean = graph_of(
      "%0 = input X : f32[k=4000]\n"
      "%1 = einsum(%0) {m[] = mean[k] X[k]} : f32[]\n"
      "output(%1) m\n");
  double state = 0;
  for (const DType dtype : einsum::einsum_of(mean.vertices[1]).reduction->monoid.state) {
    state += static_cast<double>(size_of(dtype));
  }
  EXPECT_GT(state, 4);
  EXPECT_NEAR(moved(mean, 8), 7 * state, 1e-9);
}

/// X X^T: a site needs the elements of both factors once where they are the same.
TEST(LowerBound, OfATensorThatIsReadTwiceCountsItOnce) {
  const einsum::Graph square = graph_of(
      "%0 = input X : f32[i=1000,k=1000]\n%1 = einsum(%0) {[i=1000,j=1000,k=1000] "
      "C[i,j] = sum[k] X[i,k] * X[j,k]} : f32[i=1000,j=1000]\noutput(%1) C\n");
  // i j + (i k + j k) / 2 with i = j: 3 (1/4)^(1/3) v^(2/3).
  EXPECT_NEAR(moved(square, 64), 4.0 * (64 * 3 * std::cbrt(0.25) * 62'500 - 2e6), 1);
}

/// Windows and tables: which elements meet is not known from the labels.
TEST(LowerBound, LeavesOutWhatIsReadByTables) {
  const einsum::Graph rows = graph_of(
      "%0 = input T : i64[i=100]\n%1 = input X : f32[n=50,d=100]\n%2 = input W : "
      "f32[d=100,e=100]\n%3 = einsum(%0, %1, %2) {Y[i,e] = sum[d] X[T[i],d] * W[d,e]} : "
      "f32[i=100,e=100]\noutput(%3) Y\n");
  const einsum::Graph gathered_before = graph_of(
      "%0 = input X : f32[i=100,d=100]\n%1 = input W : "
      "f32[d=100,e=100]\n%2 = einsum(%0, %1) {Y[i,e] = sum[d] X[i,d] * W[d,e]} : "
      "f32[i=100,e=100]\noutput(%2) Y\n");
  EXPECT_LT(moved(rows, 64), moved(gathered_before, 64));
}

TEST(LowerBound, OfAChainIsThatOfAllProducts) {
  const std::string chain =
      "%0 = input A : f32[i=1000,k=1000]\n%1 = input B : f32[k=1000,j=1000]\n"
      "%2 = input C : f32[j=1000,l=1000]\n"
      "%3 = einsum(%0, %1) {T[i,j] = sum[k] A[i,k] * B[k,j]} : f32[i=1000,j=1000]\n"
      "%4 = einsum(%3, %2) {D[i,l] = sum[j] T[i,j] * C[j,l]} : f32[i=1000,l=1000]\n"
      "output(%4) D\n";
  const CommunicationBounds bounds = communication_bounds(graph_of(chain), {1.0 / 64, {}});
  EXPECT_NEAR(bounds.statements[3].moved_bytes, 3 * 4e6 * 3, 1e-2);
  EXPECT_NEAR(bounds.statements[4].moved_bytes, 3 * 4e6 * 3, 1e-2);
  EXPECT_NEAR(bounds.program.moved_bytes, 2 * 3 * 4e6 * 3, 1e-2);
}

/// Two products of one X are one of X and both others beside each other.
TEST(LowerBound, OfAnOperandOfSeveralCountsItOnce) {
  const einsum::Graph two = graph_of(
      "%0 = input X : f32[i=1000,k=1000]\n%1 = input Q : f32[k=1000,j=500]\n"
      "%2 = input K : f32[k=1000,l=500]\n"
      "%3 = einsum(%0, %1) {A[i,j] = sum[k] X[i,k] * Q[k,j]} : f32[i=1000,j=500]\n"
      "%4 = einsum(%0, %2) {B[i,l] = sum[k] X[i,k] * K[k,l]} : f32[i=1000,l=500]\n"
      "output(%3) A\noutput(%4) B\n");
  EXPECT_NEAR(moved(two, 64), moved(product("f32", 1000, 1000, 1000), 64), 1);
}

/// 2 mnk / sqrt(S) numbers, less what is read and written once.
TEST(LowerBound, OfSitesWithLittleMemoryCountsWhatTheyPage) {
  const einsum::Graph square = product("f32", 40'000, 40'000, 40'000);
  const double numbers = 1e6;
  const CommunicationBound bound =
      communication_bounds(square, {1.0 / 8, int64_t{4} * 1'000'000}).program;
  const double cubes = 4 * (2 * 64e12 / std::sqrt(numbers) - 3 * 1.6e9);
  EXPECT_NEAR(bound.moved_or_paged_bytes / cubes, 1, 0.02);
  EXPECT_LT(bound.moved_or_paged_bytes, cubes);
  EXPECT_NEAR(bound.moved_bytes / (3 * 6.4e9), 1, 1e-9);
  const CommunicationBound roomy =
      communication_bounds(square, {1.0 / 8, int64_t{1} << 40}).program;
  EXPECT_EQ(roomy.moved_or_paged_bytes, roomy.moved_bytes);
}

/// Every way to give the points of a product to sites, each at most its share.
class AllAssignments : public testing::TestWithParam<std::tuple<int, int, int, int>> {};

using Element = std::pair<int, int>;

/// By element of a matrix, the sites that have a point of it.
using SitesOf = std::map<Element, std::set<int>>;

double copies(const SitesOf& sites_of) {
  double sum = 0;
  for (const auto& [element, sites] : sites_of) {
    sum += static_cast<double>(sites.size()) - 1;
  }
  return sum;
}

struct Assignment {
  SitesOf a, b, c;
};

/// All that give no site more than `most` points.
std::vector<Assignment> assignments(int i, int k, int j, int sites, int most) {
  const int points = i * k * j;
  std::vector<Assignment> all;
  std::vector<int> site(static_cast<size_t>(points), 0);
  std::vector<int> load(static_cast<size_t>(sites), 0);
  const auto go = [&](const auto& self, int point) -> void {
    if (point == points) {
      Assignment made;
      for (int number = 0; number < points; ++number) {
        const int x = number % i;
        const int z = number / i % k;
        const int y = number / i / k;
        made.a[{x, z}].insert(site[static_cast<size_t>(number)]);
        made.b[{z, y}].insert(site[static_cast<size_t>(number)]);
        made.c[{x, y}].insert(site[static_cast<size_t>(number)]);
      }
      all.push_back(std::move(made));
      return;
    }
    for (int number = 0; number < sites; ++number) {
      int& busy = load[static_cast<size_t>(number)];
      if (busy < most) {
        ++busy;
        site[static_cast<size_t>(point)] = number;
        self(self, point + 1);
        --busy;
      }
    }
  };
  go(go, 0);
  return all;
}

TEST_P(AllAssignments, MoveNoLess) {
  const auto [i, k, j, sites] = GetParam();
  const int points = i * k * j;
  const int most = (points + sites - 1) / sites;
  double least = 1e9;
  for (const Assignment& assignment : assignments(i, k, j, sites, most)) {
    least = std::min(least, copies(assignment.a) + copies(assignment.b) + copies(assignment.c));
  }
  const double share = static_cast<double>(most) / points;
  const double bound =
      communication_bounds(product("f32", i, k, j), {share, {}}).program.moved_bytes / 4;
  EXPECT_LE(bound, least);
  EXPECT_GE(bound, 0.5 * least) << "it says something";
  std::printf("%dx%dx%d on %d sites: least %g, bound %.3f\n", i, k, j, sites, least, bound);
}

INSTANTIATE_TEST_SUITE_P(LowerBound, AllAssignments,
                         testing::Values(std::tuple(2, 2, 2, 2), std::tuple(2, 2, 2, 4),
                                         std::tuple(2, 2, 2, 3), std::tuple(3, 2, 2, 2),
                                         std::tuple(3, 2, 2, 3), std::tuple(2, 4, 2, 2),
                                         std::tuple(6, 1, 2, 3), std::tuple(1, 4, 1, 4)));

/// Two products, one of the other's result, of which elements go from all that have a part of them
/// to all that need them: no less than for their parts to meet once, and then to be sent.
TEST(LowerBound, NoAssignmentOfAChainMovesLess) {
  const std::vector<Assignment> all = assignments(2, 2, 2, 2, 4);
  double least = 1e9;
  for (const Assignment& first : all) {
    for (const Assignment& second : all) {
      double between = copies(first.c) + copies(second.a);
      for (const auto& [element, makers] : first.c) {
        const std::set<int>& readers = second.a.at(element);
        const bool is_apart = std::none_of(makers.begin(), makers.end(),
                                           [&](int site) { return readers.count(site) > 0; });
        between += is_apart ? 1 : 0;
      }
      least = std::min(
          least, between + copies(first.a) + copies(first.b) + copies(second.b) + copies(second.c));
    }
  }
  const einsum::Graph chain = graph_of(
      "%0 = input A : f32[i=2,k=2]\n%1 = input B : f32[k=2,j=2]\n"
      "%2 = input C : f32[j=2,l=2]\n"
      "%3 = einsum(%0, %1) {T[i,j] = sum[k] A[i,k] * B[k,j]} : f32[i=2,j=2]\n"
      "%4 = einsum(%3, %2) {D[i,l] = sum[j] T[i,j] * C[j,l]} : f32[i=2,l=2]\n"
      "output(%4) D\n");
  const double bound = moved(chain, 2) / 4;
  EXPECT_LE(bound, least);
  EXPECT_GE(bound, 0.5 * least);
}

}  // namespace
}  // namespace tessera::placement::lower_bound_test
