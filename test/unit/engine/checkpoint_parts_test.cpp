#include <set>

#include <gmock/gmock.h>

#include "engine/checkpoints/cuts.h"
#include "engine/checkpoints/names.h"
#include "engine/checkpoints/parts.h"
#include "engine/session.h"
#include "ir/einsum/text.h"
#include "store/memory_tensor.h"

namespace tessera::engine::checkpoint_parts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// %0 and %1 are inputs; %2 and %5 are results.
constexpr const char* kProgram = R"(einsum
%0 = input A : f32[i=4,k=4]
%1 = input B : f32[k=4,j=4]
%2 = einsum(%0, %1) {T[i,j] = sum[k] A[i,k] * B[k,j]} : f32[i=4,j=4]
%3 = einsum(%2, %1) {U[i,l] = sum[j] T[i,j] * B[j,l]} : f32[i=4,l=4]
%4 = einsum(%3, %0) {V[i,l] = U[i,l] + A[i,l]} : f32[i=4,l=4]
%5 = einsum(%4, %3) {W[i,l] = V[i,l] * U[i,l]} : f32[i=4,l=4]
output(%2) T
output(%5) W
)";

einsum::Graph graph_in(const std::string& text) {
  const Session session;
  return einsum::parse_graph({"p", text}, session.functions(), session.aggregates());
}

std::vector<ProgramPart> parts(const std::vector<size_t>& cuts, const std::set<size_t>& kept) {
  return parts_to_run(graph_in(kProgram), cuts,
                      [&](size_t vertex) { return kept.contains(vertex); });
}

TEST(CheckpointParts, AResultIsNeededUntilTheEnd) {
  EXPECT_THAT(read_until(graph_in(kProgram)), ElementsAre(0, 0, kUntilTheEnd, 5, 5, kUntilTheEnd));
}

TEST(CheckpointParts, WithNothingKeptAllAreRun) {
  const auto run = parts({3, 4}, {});
  ASSERT_EQ(run.size(), 3);
  EXPECT_THAT(run[0].made, ElementsAre(0, 1, 2));
  EXPECT_THAT(run[0].leaves, ElementsAre(2));
  EXPECT_THAT(run[1].reads, ElementsAre(2));
  EXPECT_THAT(run[1].leaves, ElementsAre(3));
  EXPECT_THAT(run[2].reads, ElementsAre(2, 3));
  EXPECT_THAT(run[2].made, ElementsAre(0, 4, 5));
  EXPECT_TRUE(run[2].is_last);
}

TEST(CheckpointParts, WhatIsKeptIsNotMadeAgainNorWhatOnlyItNeeds) {
  const auto run = parts({3, 4}, {2, 3});
  ASSERT_EQ(run.size(), 1);
  EXPECT_THAT(run[0].reads, ElementsAre(2, 3));
  EXPECT_EQ(parts({3, 4}, {2}).size(), 2);
}

TEST(CheckpointParts, OneThatIsMissingIsMadeWithAllThatItsPartLeaves) {
  const auto run = parts({4}, {2});
  ASSERT_EQ(run.size(), 2);
  EXPECT_THAT(run[0].reads, IsEmpty());
  EXPECT_THAT(run[0].leaves, ElementsAre(2, 3));
}

TEST(CheckpointParts, WhatWasKeptInTheMidstOfAPartIsRead) {
  const auto whole = parts({}, {2, 4});
  ASSERT_EQ(whole.size(), 1);
  EXPECT_THAT(whole[0].reads, ElementsAre(2, 4));
  EXPECT_THAT(whole[0].made, ElementsAre(1, 3, 5));
  EXPECT_THAT(parts({5}, {4}).front().reads, IsEmpty());  // %4 is one that the part leaves
}

TEST(CheckpointParts, APartIsAProgramOfItsOwn) {
  const einsum::Graph whole = graph_in(kProgram);
  const auto run = parts({3, 4}, {});
  const Session session;
  const std::string text =
      ir::to_text(einsum::describe(graph_of(run[1], whole), session.aggregates()));
  EXPECT_EQ(text, R"(einsum
%0 = input T.checkpoint : f32[i=4,j=4]
%1 = input B : f32[k=4,j=4]
%2 = einsum(%0, %1) {U[i,l] = sum[j] T.checkpoint[i,j] * B[j,l]} : f32[i=4,l=4]
output(%2) U.checkpoint
)");
  EXPECT_EQ(graph_in(text), graph_of(run[1], whole));
}

class CheckpointNames : public testing::Test {
 protected:
  std::vector<std::string> names(const std::string& text, const Settings& settings = {},
                                 const std::string& data = "1") {
    const Session session(settings);
    return names_of_vertices(graph_in(text), {{"A", data}, {"B", "2"}, {"Q", "1"}},
                             session.setup());
  }

  static std::string with(std::string text, const std::string& from, const std::string& into) {
    return text.replace(text.find(from), from.size(), into);
  }
};

TEST_F(CheckpointNames, AreThoseOfWhatIsComputedNotOfTheWords) {
  const auto all = names(kProgram);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 6);
  EXPECT_EQ(all[2].size(), 32);
  std::string renamed = kProgram;
  for (size_t at = renamed.find('A'); at != std::string::npos; at = renamed.find('A')) {
    renamed[at] = 'Q';
  }
  EXPECT_EQ(names(renamed), all);
}

TEST_F(CheckpointNames, AChangeReachesWhatIsMadeFromIt) {
  const auto before = names(kProgram);
  const auto after = names(with(kProgram, "U[i,l] + A[i,l]", "U[i,l] - A[i,l]"));
  EXPECT_EQ(before[2], after[2]);
  EXPECT_EQ(before[3], after[3]);
  EXPECT_NE(before[4], after[4]);
  EXPECT_NE(before[5], after[5]);
}

TEST_F(CheckpointNames, OtherDataAndSettingsHaveOtherNames) {
  const auto before = names(kProgram);
  EXPECT_NE(names(kProgram, {}, "other")[5], before[5]);
  Settings settings;
  settings.reproducible = true;
  EXPECT_NE(names(kProgram, settings)[2], before[2]);
  settings = {};
  settings.kernel = "reference";
  EXPECT_NE(names(kProgram, settings)[2], before[2]);
  settings = {};
  settings.workers = 7;
  settings.memory_bytes = 1 << 20;
  EXPECT_EQ(names(kProgram, settings), before);
}

TEST_F(CheckpointNames, ThereIsNoneWithoutData) {
  const Session session;
  const auto all = names_of_vertices(graph_in(kProgram), {{"B", "2"}}, session.setup());
  EXPECT_EQ(all[0], "");
  EXPECT_NE(all[1], "");
  EXPECT_EQ(all[2], "");
}

TEST_F(CheckpointNames, IdentitiesAreOfWhatTheDataAre) {
  store::MemoryTensor tensor({DType::f32, {3, 2}});
  const auto before = identities_of({{"A", &tensor}});
  EXPECT_EQ(identities_of({{"A", &tensor}}), before);
  tensor.view().as<float>()[5] = 1;
  EXPECT_NE(identities_of({{"A", &tensor}}), before);
}

}  // namespace
}  // namespace tessera::engine::checkpoint_parts_test
