#include "plan/frames.h"

#include <gmock/gmock.h>

#include "engine/session.h"
#include "ir/ia/verify.h"
#include "plan/plan_size.h"

namespace tessera::plan::frames_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The placed graph of a program over A f64[12,12], cut by 6.
ia::Graph placed(const engine::Session& session, const std::string& program) {
  const engine::Stages stages =
      session.plan(engine::Program{{"p.ein", program}}, {{{"A", {DType::f64, {12, 12}}}}, {}});
  return *stages.placed();
}

engine::Settings cut(int64_t num_sites) {
  engine::Settings settings;
  settings.tile = {{"i", 6}, {"j", 6}, {"k", 6}};
  settings.num_sites = num_sites;
  settings.rules_off = {"fuse", "contraction_path"};
  if (num_sites > 1) {
    settings.planner = "grid";
  }
  return settings;
}

std::vector<std::string> results_of(const Frame& frame) {
  std::vector<std::string> names;
  for (const ia::Output& output : frame.placed.outputs) {
    names.push_back(output.name);
  }
  return names;
}

constexpr const char* kThreeProducts =
    "input A[i,k]\n"
    "B[i,j] = sum[k] A[i,k] * A[k,j]\n"
    "C[i,j] = sum[k] B[i,k] * A[k,j]\n"
    "D[i,j] = sum[k] C[i,k] * B[k,j]\n"
    "output D, B\n";

TEST(Frames, OneIsEnoughForFewTasks) {
  const engine::Session session(cut(1));
  const ia::Graph graph = placed(session, kThreeProducts);
  const std::vector<Frame> frames = frames_of(graph, expected_tasks(graph));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].placed, graph);
  EXPECT_THAT(frames[0].reads, IsEmpty());
  EXPECT_THAT(frames[0].leaves, IsEmpty());
}

TEST(Frames, LeaveWhatLaterOnesRead) {
  const engine::Session session(cut(1));
  const std::vector<Frame> frames = frames_of(placed(session, kThreeProducts), 1);
  ASSERT_EQ(frames.size(), 3U);
  ASSERT_EQ(frames[0].leaves.size(), 1U);
  const std::string b = frames[0].leaves[0];
  const std::string c = frames[1].leaves[0];
  EXPECT_THAT(results_of(frames[0]), ElementsAre(b, "B"));
  EXPECT_THAT(frames[1].reads, ElementsAre(b));
  EXPECT_THAT(results_of(frames[1]), ElementsAre(c));
  EXPECT_THAT(frames[2].reads, ElementsAre(c, b));
  EXPECT_THAT(results_of(frames[2]), ElementsAre("D"));
}

TEST(Frames, AreSoundGraphsThatLeaveTuplesWhereTheyWereMade) {
  const engine::Session session(cut(3));
  const ia::Graph graph = placed(session, kThreeProducts);
  const std::vector<Frame> frames = frames_of(graph, 1);
  EXPECT_GT(frames.size(), 2U);
  for (const Frame& frame : frames) {
    EXPECT_THAT(ia::verify(frame.placed, session.functions()), IsEmpty());
    for (const ia::Output& output : frame.placed.outputs) {
      const ia::Node& left = frame.placed.at(output.node);
      EXPECT_NE(ia::local_op(left), nullptr) << output.name << " was sent before";
    }
  }
}

/// Of two places to cut, one between a matrix and one between a vector, the vector is left.
TEST(Frames, LeaveAsFewBytesAsCanBe) {
  const engine::Session session(cut(1));
  const ia::Graph graph = placed(session,
                                 "input A[i,k]\n"
                                 "B[i,j] = sum[k] A[i,k] * A[k,j]\n"
                                 "m[i] = max[j] B[i,j]\n"
                                 "C[i,k] = A[i,k] - m[i]\n"
                                 "output C\n");
  const std::vector<Frame> frames = frames_of(graph, expected_tasks(graph) - 1);
  ASSERT_EQ(frames.size(), 2U);
  ASSERT_EQ(frames[0].leaves.size(), 1U);
  EXPECT_EQ(frames[0].leaves[0].rfind("m.left", 0), 0U) << frames[0].leaves[0];
}

/// A cut has no tasks, and what reads it may need few of its pieces.
TEST(Frames, LeaveTilesAsTheyWereBeforeTheyAreCut) {
  const engine::Session session;
  const engine::Stages stages = session.plan(
      engine::StageText{{"p.tra",
                         "tra\n"
                         "%0 = input A : (i:2x6,k:2x6) -> f64[i=12,k=12]\n"
                         "%1 = join(%0) on=(i,k) kernel={o[i,k] = x0[i,k] + 1} : (i:2x6,k:2x6) -> "
                         "f64[i=12,k=12]\n"
                         "%2 = repartition(%1) : (i:12x1,k:12x1) -> f64[i=12,k=12]\n"
                         "%3 = join(%2) on=(i,i) kernel={o[i] = x0[i,i]} : (i:12x1) -> f64[i=12]\n"
                         "output(%3) d\n"}},
      {});
  const std::vector<Frame> frames = frames_of(*stages.placed(), 1);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0].leaves, ElementsAre("relation.left1"));
  EXPECT_THAT(frames[1].reads, ElementsAre("relation.left1"));
}

/// Partial results of a sum are tuples that no file holds.
TEST(Frames, AreNotCutBetweenAJoinAndItsAggregate) {
  engine::Settings settings = cut(1);
  settings.reproducible = true;
  settings.tile.erase("j");
  const engine::Session session(settings);
  const std::vector<Frame> frames =
      frames_of(placed(session, "input A[i,k]\ns[i] = sum[k] A[i,k]\noutput s\n"), 1);
  EXPECT_EQ(frames.size(), 1U);
}

}  // namespace
}  // namespace tessera::plan::frames_test
