#include "optimizer/partition/problem/site_grids.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "optimizer/partition/partition.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::partition::site_grids_test {
namespace {

einsum::Graph product(int64_t i, int64_t k, int64_t j) {
  return graph_of(fmt::format(
      "%0 = input A : f32[i={0},k={1}]\n%1 = input B : f32[k={1},j={2}]\n"
      "%2 = einsum(%0, %1) {{C[i,j] = sum[k] A[i,k] * B[k,j]}} : f32[i={0},j={2}]\noutput(%2) C\n",
      i, k, j));
}

StatementModel statement_of(const einsum::Graph& graph) {
  return model_of(graph).statements.front();
}

/// The lengths of so many pieces, in the order of the statement's labels.
std::vector<int64_t> lengths(const StatementModel& statement, int64_t i, int64_t k, int64_t j) {
  std::vector<int64_t> result;
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    const std::string& name = statement.names[label];
    result.push_back(statement.extents[label] / (name == "i" ? i : name == "k" ? k : j));
  }
  return result;
}

TEST(SiteGrids, CountsTheBestGridThatDividesTheCalls) {
  const StatementModel square = statement_of(product(64, 64, 64));
  const double matrix = 4.0 * 64 * 64;
  const SiteGrids grids(square, 8);
  EXPECT_EQ(grids.least_bytes(lengths(square, 4, 4, 4)), 3 * matrix) << "2 x 2 x 2";
  EXPECT_EQ(grids.least_bytes(lengths(square, 8, 4, 1)), (1 + 3) * matrix) << "4 x 2: k twice";
  EXPECT_EQ(grids.least_bytes(lengths(square, 8, 1, 1)), 7 * matrix) << "B on all sites";
  EXPECT_EQ(grids.least_bytes(lengths(square, 2, 8, 4)), 3 * matrix);
  EXPECT_EQ(grids.least_bytes(lengths(square, 1, 8, 1)), 8 * 7 * matrix) << "all C to one site";
  EXPECT_EQ(grids.least_bytes(lengths(square, 1, 1, 1)), 8 * 7 * matrix) << "no grid divides it";
  EXPECT_EQ(SiteGrids(square, 1).least_bytes(lengths(square, 4, 4, 4)), 0);
}

/// Sites along k move C only; tiles of C are as many as sites, so that each merges some.
TEST(SiteGrids, DecideHowADeepProductIsCut) {
  PlannerRegistry planners;
  register_all_planners(planners);
  const einsum::Graph deep = product(4'000, 256'000, 4'000);
  PartitionOptions options;
  options.workers = 64;
  const auto pieces_of_k = [&]() {
    const StatementPartition statement =
        partition_graph(deep, planners, kDefaultPlanner, options).statements.front();
    const einsum::EinSum& einsum = einsum::einsum_of(deep.at(statement.vertex));
    for (size_t label = 0; label < einsum.labels.size(); ++label) {
      if (einsum.labels[label].name == "k") {
        return statement.pieces[label];
      }
    }
    return int64_t{0};
  };
  const int64_t of_threads = pieces_of_k();
  options.sites = 64;
  EXPECT_LT(of_threads, 64);
  EXPECT_EQ(pieces_of_k() % 64, 0);
}

}  // namespace
}  // namespace tessera::optimizer::partition::site_grids_test
