#include "engine/explain/lower_bound.h"

#include <algorithm>
#include <random>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/candidates/least_moved.h"
#include "engine/explain/candidates.h"
#include "ir/ia/placement.h"
#include "ir/tra/keys.h"
#include "plan/task_graph.h"

namespace tessera::engine::lower_bound_test {
namespace {

/// What part of the points of some statement the busiest site computes; nothing where some are
/// computed on several sites.
std::optional<double> largest_share(const ia::Graph& graph) {
  double share = 0;
  for (const ia::Node& node : graph.nodes) {
    const auto* local = std::get_if<ia::LocalOp>(&node.op);
    const auto* join = local == nullptr ? nullptr : std::get_if<tra::Join>(&local->op);
    if (join == nullptr) {
      continue;
    }
    if (!ia::is_one_copy(node.placement)) {
      return std::nullopt;
    }
    const std::vector<int32_t> sites = ia::sites_of(node.placement, join->key, graph.num_sites);
    std::vector<double> points(static_cast<size_t>(graph.num_sites), 0);
    double all = 0;
    size_t number = 0;
    for (const tra::Key& tuple : tra::all_keys(join->key)) {
      double of_tuple = 1;
      for (size_t dim = 0; dim < tuple.size(); ++dim) {
        const ModeGrid& grid = *tra::grid_of(join->key[dim]);
        of_tuple *= static_cast<double>(grid.length(tuple[dim]));
      }
      all += of_tuple;
      points[static_cast<size_t>(sites[number++])] += of_tuple;
    }
    share = std::max(share, *std::max_element(points.begin(), points.end()) / all);
  }
  return share;
}

double moved_bytes(const plan::TaskGraph& graph) {
  double bytes = 0;
  for (const plan::TaskInfo& task : graph.tasks) {
    bytes += task.kind == plan::TaskKind::move ? task.bytes : 0;
  }
  return bytes;
}

/// An equation of two or three operands over up to five labels, with their extents, and how long
/// pieces are.
struct Drawn {
  Equation equation;
  frontend::Bindings bindings;
  std::map<std::string, int64_t> tile;
};

Drawn drawn(std::mt19937_64& random) {
  const auto draw = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
  };
  const std::string labels = std::string("abcde").substr(0, static_cast<size_t>(2 + draw(4)));
  std::map<char, int64_t> extents;
  Drawn result;
  for (const char label : labels) {
    extents[label] = 1 + draw(12);
    result.tile[std::string(1, label)] = 1 + draw(extents[label]);
  }
  std::string text;
  std::string met;
  const int64_t operands = 2 + draw(2);
  for (int64_t number = 0; number < operands; ++number) {
    std::string own;
    Shape shape;
    for (const char label : labels) {
      const bool is_last = number + 1 == operands && met.find(label) == std::string::npos;
      if (is_last || draw(2) == 0) {
        own += label;
        met += label;
        shape.push_back(extents[label]);
      }
    }
    text += (number == 0 ? "" : ",") + own;
    const std::string name = fmt::format("x{}", number + 1);
    result.equation.operands.push_back(name);
    result.bindings.inputs.insert({name, {draw(2) == 0 ? DType::f32 : DType::f64, shape}});
  }
  text += "->";
  for (const char label : labels) {
    text += draw(3) > 0 ? std::string(1, label) : "";
  }
  result.equation.text = text;
  return result;
}

/// What every planner moves for drawn equations, with whatever shares its sites have.
TEST(LowerBound, NoPlannerMovesLessThanItsSharesAllow) {
  std::mt19937_64 random(1);
  int num_bounded = 0;
  int num_known = 0;  // placements of which is known what they move, without their tasks
  for (int round = 0; round < 60; ++round) {
    const Drawn one = drawn(random);
    Settings settings;
    settings.workers = 1;
    settings.memory_bytes = int64_t{1} << 30;
    settings.tile = one.tile;
    settings.num_sites = 2 + static_cast<int64_t>(random() % 7);
    settings.rules_off = {"fuse"};
    for (const char* planner :
         {"algebra", "grid", "two-phase", "rule1", "rule2", "hash", "bmm", "cmm", "rmm", "3d"}) {
      settings.planner = planner;
      const Session session(settings);
      const Stages stages = session.plan(one.equation, one.bindings);
      const std::optional<double> share = largest_share(*stages.placed());
      if (stages.tasks() == nullptr) {
        continue;
      }
      const double moved = moved_bytes(*stages.tasks());
      EXPECT_LE(least_moved_bytes(*stages.placed()), moved) << one.equation.text << planner;
      num_known += moved > 0 && least_moved_bytes(*stages.placed()) == moved ? 1 : 0;
      if (!share) {
        continue;
      }
      const double bound =
          placement::communication_bounds(stages.choices()->optimized, {*share, {}})
              .program.moved_bytes;
      EXPECT_GE(moved, bound * (1 - 1e-9))
          << one.equation.text << " by " << planner << " on " << settings.num_sites
          << " sites, the busiest with " << *share << ", tiles of " << fmt::format("{}", one.tile);
      num_bounded += bound > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_bounded, 100);
  EXPECT_GT(num_known, 100);
}

Stages product_on(int64_t sites, const Session& session) {
  EXPECT_EQ(session.settings().num_sites, sites);
  return session.plan(
      Equation{"ik,kj->ij", {"A", "B"}, {}},
      {{{"A", {DType::f32, {40'000, 40'000}}}, {"B", {DType::f32, {40'000, 40'000}}}}, {}});
}

Session session_for(int64_t sites, int64_t memory_bytes) {
  Settings settings;
  settings.workers = 1;
  settings.num_sites = sites;
  settings.memory_bytes = memory_bytes;
  return Session(settings);
}

TEST(LowerBound, IsSaidOfSeveralSites) {
  const Session one = session_for(1, int64_t{1} << 40);
  EXPECT_FALSE(bounds_of(product_on(1, one), one).has_value());
  const Session eight = session_for(8, int64_t{1} << 40);
  const Stages stages = product_on(8, eight);
  EXPECT_NEAR(bounds_of(stages, eight)->least().moved_bytes, 3 * 6.4e9, 1);
  EXPECT_NE(candidates_text(stages, eight)
                .find("\nlower bound: 17.9 GiB between sites, if each does 1/8 of every statement"),
            std::string::npos);
}

/// 2 mnk / sqrt(S) numbers of 64 MiB are 125 GB, the three matrices 19.2 GB of it.
TEST(LowerBound, SaysWhatShortMemoryPages) {
  const Session session = session_for(8, int64_t{64} << 20);
  placement::CommunicationBound bound;
  bound.moved_bytes = 3 * 6.4e9;
  bound.moved_or_paged_bytes = 105e9;
  EXPECT_EQ(bound_text(bound, 8, int64_t{64} << 20),
            "lower bound: 17.9 GiB between sites, if each does 1/8 of every statement; 97.8 GiB "
            "with what is paged for 64 MiB on each");
  EXPECT_EQ(bound_text({}, 8, 1), "");
}

}  // namespace
}  // namespace tessera::engine::lower_bound_test
