#include "engine/candidates/candidate_search.h"

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session.h"
#include "ir/einsum/text.h"
#include "plan/plan_size.h"

namespace tessera::engine::candidate_search_test {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

/// What a plan of one task per tile takes that fills tiles of so many bytes, all needed at the end.
Figures filling(int64_t num_tiles, int64_t tile_bytes, const Budget& budget) {
  Figures figures;
  figures.num_tasks = num_tiles;
  figures.peak_bytes = num_tiles * tile_bytes;
  figures.smallest_budget = tile_bytes;
  figures.seconds = fits(figures, budget) ? 1 : std::numeric_limits<double>::infinity();
  figures.alone_seconds = figures.seconds * static_cast<double>(budget.workers);
  return figures;
}

using OutcomeOf = std::function<Outcome(const Candidate&)>;

/// The whole takes 16 MiB; a bound halves tiles until a call's fit, down to `finest`.
OutcomeOf halving(int64_t finest, Budget budget) {
  return [finest, budget](const Candidate& candidate) -> Outcome {
    const int64_t whole = 16 * kMiB;
    int64_t tile = whole;
    while (candidate.most_call_bytes && tile > *candidate.most_call_bytes) {
      tile /= 2;
    }
    if (tile < finest) {
      return NoPlan{"too fine"};
    }
    return filling(whole / tile, tile, budget);
  };
}

/// T, an intermediate of 4 MiB, is made and read.
einsum::Graph outer_product() {
  const Session session;
  return einsum::parse_graph({"graph", R"(einsum
%0 = input A : f32[i=1024]
%1 = input B : f32[j=1024]
%2 = einsum(%0, %1) {T[i,j] = A[i] * B[j]} : f32[i=1024,j=1024]
%3 = einsum(%2) {V[i,j] = exp(T[i,j])} : f32[i=1024,j=1024]
%4 = einsum(%3) {W[i] = sum[j] V[i,j]} : f32[i=1024]
output(%4) W
)"},
                             session.functions(), session.aggregates());
}

CandidateSearch searched(const Budget& budget, const OutcomeOf& outcome, const einsum::Graph& graph,
                         Freedom freedom = {}) {
  CandidateSearch search(budget, freedom, Granularity());
  while (std::optional<Candidate> candidate = search.propose()) {
    search.record({*candidate, outcome(*candidate)}, graph);
  }
  return search;
}

const Trial& chosen(const CandidateSearch& search) {
  return search.trials()[search.chosen()];
}

int64_t need_under(int64_t finest, const Budget& budget) {
  const einsum::Graph none;
  return chosen(searched(budget, halving(finest, budget), none)).figures()->smallest_budget;
}

TEST(CandidateSearch, CutsNothingWhereAllFits) {
  EXPECT_EQ(need_under(1, {16 * kMiB, 2}), 16 * kMiB);
}

TEST(CandidateSearch, LeavesRoomForEveryWorkerAndOneMore) {
  EXPECT_EQ(need_under(1, {8 * kMiB, 1}), 4 * kMiB);
  EXPECT_EQ(need_under(1, {8 * kMiB, 3}), 2 * kMiB);
  EXPECT_EQ(need_under(1, {8 * kMiB, 4}), 1 * kMiB);
}

TEST(CandidateSearch, TakesTheFinestWhereNoneLeavesRoom) {
  EXPECT_EQ(need_under(kMiB, {2 * kMiB, 8}), kMiB);
}

/// Tiles of 8 MiB leave room for one worker alone, which takes twice as long.
TEST(CandidateSearch, KeepsCoarseCutsThatEndSoonerWithOneWorker) {
  const Budget budget{12 * kMiB, 2};
  const einsum::Graph none;
  const auto need_if_finer_take = [&](double seconds) {
    const OutcomeOf outcome = [&](const Candidate& candidate) {
      Outcome made = halving(kMiB, budget)(candidate);
      if (auto* figures = std::get_if<Figures>(&made)) {
        figures->seconds *= runs_well(*figures, budget) ? seconds : 1;
        figures->alone_seconds = 2 * figures->seconds;
      }
      return made;
    };
    return chosen(searched(budget, outcome, none)).figures()->smallest_budget;
  };
  EXPECT_EQ(need_if_finer_take(3), 8 * kMiB);
  EXPECT_EQ(need_if_finer_take(1.5), 4 * kMiB);
}

TEST(CandidateSearch, HasOneSmallestBudget) {
  EXPECT_EQ(need_under(kMiB, {kMiB, 2}), kMiB);
  EXPECT_EQ(need_under(kMiB, {kMiB - 64, 2}), kMiB);
  EXPECT_EQ(need_under(kMiB, {1, 2}), kMiB);
}

TEST(CandidateSearch, GoesBelowCallsThatAreWorthTheirTaskWhereNothingElseFits) {
  constexpr int64_t kFinest = 1024;
  EXPECT_EQ(need_under(kFinest, {256 << 10, 8}), 64 << 10);  // no finer: that one fits
  EXPECT_EQ(need_under(kFinest, {63 << 10, 8}), 32 << 10);
  EXPECT_EQ(need_under(kFinest, {2 * kFinest, 1}), 2 * kFinest);
  EXPECT_EQ(need_under(kFinest, {kFinest, 1}), kFinest);
  EXPECT_EQ(need_under(kFinest, {1, 1}), kFinest);
}

TEST(CandidateSearch, TakesTheFirstPlacementOnSeveralSites) {
  const einsum::Graph none;
  const auto placed = [](const Candidate& candidate) -> Outcome {
    return candidate.most_calls ? Outcome(PlacedFigures{4096, 0})
                                : Outcome(NoPlan{"too many tasks", int64_t{1} << 19});
  };
  const CandidateSearch search = searched({1, 2}, placed, none);
  ASSERT_EQ(search.trials().size(), 2U);
  EXPECT_EQ(search.chosen(), 1U);
  EXPECT_EQ(chosen(search).figures(), nullptr);
  EXPECT_EQ(chosen(search).placed()->moved_bytes, 4096);
}

/// Placements by name, and how soon their plans end.
OutcomeOf placed_in(std::map<std::string, double> seconds, Budget budget) {
  return [seconds = std::move(seconds), budget](const Candidate& candidate) -> Outcome {
    const double end = seconds.at(candidate.places.value());
    if (end < 0) {
      return NoPlan{"too many keys"};
    }
    Figures figures = filling(1, candidate.most_call_bytes.value_or(4 * kMiB), budget);
    figures.seconds *= end;
    return figures;
  };
}

CandidateSearch searched_among(const std::vector<std::string>& placements, const Budget& budget,
                               const OutcomeOf& outcome, const einsum::Graph& graph) {
  CandidateSearch search(budget, {}, Granularity(), placements);
  while (std::optional<Candidate> candidate = search.propose()) {
    search.record({*candidate, outcome(*candidate)}, graph);
  }
  return search;
}

TEST(CandidateSearch, TakesThePlacementThatEndsSoonest) {
  const einsum::Graph none;
  const Budget budget{16 * kMiB, 1};
  const CandidateSearch search =
      searched_among({"a", "b", "c", "d"}, budget,
                     placed_in({{"a", 3}, {"b", 1}, {"c", -1}, {"d", 2}}, budget), none);
  EXPECT_EQ(search.trials().size(), 4U);
  EXPECT_EQ(chosen(search).candidate.places, "b");
}

TEST(CandidateSearch, TakesTheNextPlacementWhereTheFirstIsNone) {
  const einsum::Graph none;
  const Budget budget{16 * kMiB, 1};
  const CandidateSearch search = searched_among(
      {"a", "b", "c"}, budget, placed_in({{"a", -1}, {"b", 2}, {"c", 1}}, budget), none);
  EXPECT_EQ(search.trials().size(), 3U);
  EXPECT_EQ(chosen(search).candidate.places, "c");
}

TEST(CandidateSearch, OfEqualPlacementsTakesTheDefault) {
  const einsum::Graph none;
  const Budget budget{16 * kMiB, 1};
  const CandidateSearch search = searched_among(
      {"a", "algebra", "b"}, budget, placed_in({{"a", 1}, {"algebra", 1}, {"b", 1}}, budget), none);
  EXPECT_EQ(chosen(search).candidate.places, "algebra");
}

TEST(CandidateSearch, SaysHowSoonAPlacementHasToEndToBeBetter) {
  const einsum::Graph none;
  const Budget budget{16 * kMiB, 1};
  CandidateSearch search(budget, {}, Granularity(), {"a", "b", "c"});
  const OutcomeOf outcome = placed_in({{"a", 2}, {"c", 1}}, budget);
  std::vector<double> ends;
  while (std::optional<Candidate> candidate = search.propose()) {
    ends.push_back(search.latest_end());
    search.record({*candidate, candidate->places == "b" ? Beaten{1e9, 3} : outcome(*candidate)},
                  none);
  }
  EXPECT_EQ(ends, (std::vector<double>{INFINITY, 2.04, 2.04}));
  EXPECT_EQ(chosen(search).candidate.places, "c");
}

TEST(CandidateSearch, CutsFinerWithThePlacementThatNeedsLeast) {
  const einsum::Graph none;
  const Budget budget{kMiB, 1};
  const CandidateSearch search =
      searched_among({"a", "b"}, budget, placed_in({{"a", 3}, {"b", 1}}, budget), none);
  EXPECT_TRUE(fits(*chosen(search).figures(), budget));
  EXPECT_EQ(chosen(search).candidate.places, "a") << "of equal needs the first";
}

TEST(CandidateSearch, TriesOneCandidateWhereNothingIsFree) {
  const Budget budget{kMiB, 2};
  const einsum::Graph program = outer_product();
  EXPECT_EQ(searched(budget, halving(1, budget), program, {false, false}).trials().size(), 1U);
}

TEST(CandidateSearch, LeavesPlansWithoutFiguresAlone) {
  const einsum::Graph program = outer_product();
  const auto sites = [](const Candidate&) { return Figures(); };
  EXPECT_EQ(searched({1, 2}, sites, program).trials().size(), 1U);
}

TEST(CandidateSearch, KeepsWhatCameOfEveryCandidate) {
  const Budget budget{2 * kMiB, 8};
  const einsum::Graph none;
  const CandidateSearch search = searched(budget, halving(kMiB, budget), none);
  std::vector<std::optional<int64_t>> bounds;
  for (const Trial& trial : search.trials()) {
    if (!trial.candidate.most_intermediate_bytes) {
      bounds.push_back(trial.candidate.most_call_bytes);
    }
  }
  EXPECT_THAT(bounds,
              testing::ElementsAre(std::nullopt, 8 * kMiB, 4 * kMiB, 2 * kMiB, kMiB, kMiB / 2));
  EXPECT_EQ(std::get<NoPlan>(search.trials()[5].outcome).reason, "too fine");
  EXPECT_EQ(search.chosen(), 4U);
}

/// Spills without slices, and takes so long with them.
OutcomeOf spilling(double seconds_with_slices) {
  return [=](const Candidate& candidate) {
    Figures figures;
    figures.peak_bytes = 4 * kMiB;
    figures.smallest_budget = candidate.slices.empty() ? 2 * kMiB : kMiB;
    figures.paging.num_spills = candidate.slices.empty() ? 4 : 0;
    figures.seconds = candidate.slices.empty() ? 0.5 : seconds_with_slices;
    return figures;
  };
}

TEST(CandidateSearch, SlicesWhereThatEndsSoonerThanSpilling) {
  const einsum::Graph program = outer_product();
  const Budget budget{2 * kMiB, 1};
  EXPECT_FALSE(chosen(searched(budget, spilling(0.1), program)).candidate.slices.empty());
  EXPECT_TRUE(chosen(searched(budget, spilling(1), program)).candidate.slices.empty());
}

TEST(CandidateSearch, DoesNotSliceForAnEndThatIsHardlySooner) {
  const einsum::Graph program = outer_product();
  const Budget budget{2 * kMiB, 1};
  EXPECT_TRUE(chosen(searched(budget, spilling(0.45), program)).candidate.slices.empty());
}

TEST(CandidateSearch, DoesNotSliceWhatFits) {
  const einsum::Graph program = outer_product();
  const auto fitting = [](const Candidate&) {
    Figures figures;
    figures.peak_bytes = figures.smallest_budget = 4 * kMiB;
    figures.seconds = 1;
    return figures;
  };
  EXPECT_EQ(searched({4 * kMiB, 1}, fitting, program).trials().size(), 1U);
}

/// Needs 4 MiB in the order with the fewest operations, and so much in others.
OutcomeOf in_other_orders(int64_t bytes, const Budget& budget) {
  return [=](const Candidate& candidate) {
    return filling(1, candidate.most_intermediate_bytes ? bytes : 4 * kMiB, budget);
  };
}

TEST(CandidateSearch, ChangesTheOrderWhereIntermediatesDoNotFit) {
  const einsum::Graph program = outer_product();
  const Budget budget{2 * kMiB, 1};
  const CandidateSearch search =
      searched(budget, in_other_orders(kMiB, budget), program, {true, false});
  EXPECT_EQ(search.trials().size(), 2U);
  EXPECT_EQ(chosen(search).candidate.most_intermediate_bytes, budget.bytes);
}

TEST(CandidateSearch, EndsWithTheSmallestIntermediatesOfAll) {
  const einsum::Graph program = outer_product();
  const Budget budget{kMiB, 1};
  const CandidateSearch search =
      searched(budget, in_other_orders(3 * kMiB, budget), program, {true, false});
  EXPECT_EQ(search.trials().size(), 3U);
  EXPECT_EQ(chosen(search).candidate.most_intermediate_bytes, 1);
}

/// So many tasks for each call that a plan may have, 50,000 without a bound on calls.
OutcomeOf many_tasks(const Budget& budget) {
  return [=](const Candidate& candidate) -> Outcome {
    const int64_t tasks = 4 * candidate.most_calls.value_or(25'000);
    return tasks > plan::kFreeTasks ? Outcome(NoPlan{"many", tasks}) : filling(tasks, 64, budget);
  };
}

TEST(CandidateSearch, CutsCoarserWhereTasksAreTooMany) {
  const Budget budget{16 * kMiB, 2};
  const einsum::Graph none;
  const CandidateSearch search = searched(budget, many_tasks(budget), none);
  EXPECT_EQ(search.trials().size(), 2U);
  EXPECT_EQ(chosen(search).candidate.most_calls, plan::kFreeTasks / 4);
}

TEST(CandidateSearch, DoesNotGoOnWithAnOrderThatIsTheFirstAgain) {
  const einsum::Graph program = outer_product();
  const Budget budget{2 * kMiB, 1};
  const auto same = [&](const Candidate& candidate) -> Outcome {
    return candidate.most_intermediate_bytes ? Outcome(NoPlan{"the same order"})
                                             : filling(1, 4 * kMiB, budget);
  };
  const CandidateSearch search = searched(budget, same, program);
  EXPECT_EQ(search.chosen(), 0U);
  EXPECT_EQ(search.trials().back().candidate.most_intermediate_bytes, 1);
}

TEST(CandidateSearch, KeepsTheOrderOfWhatIsReproducible) {
  const einsum::Graph program = outer_product();
  const Budget budget{kMiB, 1};
  EXPECT_EQ(searched(budget, in_other_orders(1, budget), program, {false, false}).trials().size(),
            1U);
}

}  // namespace
}  // namespace tessera::engine::candidate_search_test
