#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/ia/text.h"
#include "plan/to_tasks.h"
#include "plan/verify.h"
#include "unit/known.h"

namespace tessera::plan::merge_tree_test {
namespace {

/// The sum of a vector that is cut into pieces, each with a partial sum, merged as a tree.
TaskGraph sum_of_pieces(int64_t num_pieces) {
  const std::string text = fmt::format(
      "ia sites=1\n"
      "%0 = input X : (i:{0}x512) -> f32[i={1}]\n"
      "%1 = local_join(%0) on=(i) kernel={{o[] = sum[i; leaf i=512] x0[i]}} : (i:{0}x512) "
      "-> "
      "f32[]\n"
      "%2 = local_aggregate(%1) keep=() by=sum:f32 order=tree : () -> f32[]\n"
      "output(%2) S\n",
      num_pieces, num_pieces * 512);
  TaskGraph graph = to_tasks(
      ia::parse_graph({"plan.ia", text}, known().functions, known().aggregates), known().context);
  EXPECT_EQ(verify(graph, known().functions), std::vector<std::string>{});
  return graph;
}

/// What ends up in the result, written as ((0+1)+2), and how many partial sums were held at once.
struct Merged {
  std::string text;
  size_t most_held = 0;
};

Merged merged_by(const TaskGraph& graph) {
  std::map<size_t, std::string> held;  // by tile: partial sums that are still to be merged
  Merged merged;
  for (const TaskInfo& task : graph.tasks) {
    if (task.kind == TaskKind::write_sink) {
      merged.text = held.at(task.inputs[0].tile.index());
    }
    if (task.kind != TaskKind::compute) {
      continue;
    }
    EXPECT_FALSE(task.shape.accumulate);
    std::string value =
        fmt::format("{}", task.shape.ranges.empty() ? 0 : task.shape.ranges[0].begin / 512);
    if (task.inputs.size() == 2) {
      const size_t left = task.inputs[0].tile.index();
      const size_t right = task.inputs[1].tile.index();
      value = fmt::format("({}+{})", held.at(left), held.at(right));
      held.erase(left);
      held.erase(right);
    }
    held[task.outputs[0].tile.index()] = value;
    merged.most_held = std::max(merged.most_held, held.size());
  }
  return merged;
}

TEST(MergeTree, NeighboursAreMergedFirst) {
  EXPECT_EQ(merged_by(sum_of_pieces(1)).text, "0");
  EXPECT_EQ(merged_by(sum_of_pieces(2)).text, "(0+1)");
  EXPECT_EQ(merged_by(sum_of_pieces(3)).text, "((0+1)+2)");
  EXPECT_EQ(merged_by(sum_of_pieces(5)).text, "(((0+1)+(2+3))+4)");
  EXPECT_EQ(merged_by(sum_of_pieces(7)).text, "(((0+1)+(2+3))+((4+5)+6))");
}

TEST(MergeTree, FewPartialSumsAreHeldAtATime) {
  EXPECT_LE(merged_by(sum_of_pieces(64)).most_held, 7U);
  EXPECT_LE(merged_by(sum_of_pieces(63)).most_held, 7U);
}

}  // namespace
}  // namespace tessera::plan::merge_tree_test
