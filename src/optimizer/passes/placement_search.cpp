#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/byte_size.h"
#include "optimizer/ia/chosen_graph.h"
#include "optimizer/ia/communication.h"
#include "optimizer/ia/placement_memo.h"
#include "optimizer/ia/plan_choice.h"
#include "optimizer/ia/plan_steps.h"
#include "optimizer/passes.h"
#include "optimizer/rewrite/untaken.h"

namespace tessera::optimizer::pass_placement_search {

namespace {

using rewrite::Rewriting;

/// The work of the search: alternatives tried with partial plans, about a second's worth, and the
/// range of how many partial plans are kept at once.
constexpr size_t kMostTried = 2'000'000;
constexpr size_t kFewestStates = 16;
constexpr size_t kMostStates = 1000;
/// The most rewrites of a plan, for each rule, that are made only to tell their cost.
constexpr int64_t kMostReasons = 200;

bool is_wanted(const ia::Graph& graph, const PassContext& context) {
  return graph.num_sites > 1 && !context.is_given;
}

class PlacementSearch {
 public:
  PlacementSearch(Rewriting<ia::Graph>& rewriting, const PassContext& context)
      : rewriting_(rewriting), context_(context) {
    for (const PlacementRule& rule : context.placement_rules.all()) {
      if (context.is_enabled(rule.name)) {
        rewriting.report().applications[rule.name] += 0;
        rules_.push_back(&rule);
        (rule.phase == Phase::explore ? explore_ : normalize_).push_back(&rule);
      }
    }
  }

  void run() {
    const CommunicationVolume before = communication_.of(rewriting_.graph());
    normalize();
    PlacementMemo memo(rewriting_.graph(), rules_, context_.known, communication_, {});
    const PlanChoice choice = cheapest_plan(memo, most_states(memo));
    const std::optional<ia::Graph> chosen = chosen_graph(memo, choice.alternatives);
    if (chosen && is_better(*chosen)) {
      take_plan(rewriting_, memo, choice.alternatives);
      normalize();
    }
    const CommunicationVolume after = communication_.of(rewriting_.graph());
    rewriting_.report().applications["placement_search"] = after.total() < before.total() ? 1 : 0;
    note(before, after, memo, choice);
    if (rewriting_.keeps_steps()) {
      keep_reasons();
    }
  }

 private:
  void normalize() {
    rewrite::to_fixpoint(normalize_, [&](const PlacementRule& rule) {
      return rewriting_.apply(rule.name, [&](ia::Graph graph) {
        return rewrite::swept(std::move(graph), rule, context_.known);
      });
    });
    rewrite::sort_reasons(rewriting_.report().reasons, normalize_);
  }

  static size_t most_states(const PlacementMemo& memo) {
    return std::clamp(kMostTried / num_alternatives(memo), kFewestStates, kMostStates);
  }

  static size_t num_alternatives(const PlacementMemo& memo) {
    size_t alternatives = 0;
    for (const MemoGroup& group : memo.relations()) {
      alternatives += group.alternatives.size();
    }
    return std::max<size_t>(alternatives, 1);
  }

  /// True if the chosen plan is cheaper, or as cheap and simpler.
  bool is_better(const ia::Graph& chosen) {
    const ia::Graph made = rewrite::normalized(chosen, normalize_, context_.known);
    const ia::Graph& now = rewriting_.graph();
    return std::pair(communication_.of(made).total(), made.nodes.size()) <
           std::pair(communication_.of(now).total(), now.nodes.size());
  }

  void note(const CommunicationVolume& before, const CommunicationVolume& after,
            const PlacementMemo& memo, const PlanChoice& choice) {
    std::string text = fmt::format(
        "placement_search: {} move between sites, {} before; {} ways to make {} relations",
        byte_size_text(static_cast<int64_t>(after.moved_bytes)),
        byte_size_text(static_cast<int64_t>(before.moved_bytes)), num_alternatives(memo),
        memo.relations().size());
    if (memo.is_bounded()) {
      text += fmt::format(", which is the bound of {}", memo.bound_text());
    }
    if (choice.is_bounded) {
      text += fmt::format(", of whose plans {} were kept beside each other, which is the bound",
                          most_states(memo));
    }
    rewriting_.report().notes.push_back(std::move(text));
  }

  void keep_reasons() {
    const rewrite::Untaken<ia::Graph> untaken(
        normalize_, context_.known,
        [&](const ia::Graph& graph) { return communication_.of(graph).total(); }, kMostReasons);
    for (const PlacementRule* rule : explore_) {
      rewriting_.keep_reasons(rule->name, untaken.reasons(rewriting_.graph(), *rule));
    }
  }

  Rewriting<ia::Graph>& rewriting_;
  const PassContext& context_;
  Communication communication_;
  std::vector<const PlacementRule*> rules_;  // all that are enabled
  std::vector<const PlacementRule*> normalize_;
  std::vector<const PlacementRule*> explore_;
};

void run(Rewriting<ia::Graph>& rewriting, const PassContext& context) {
  PlacementSearch(rewriting, context).run();
}

}  // namespace

void register_pass(PassRegistry& registry) {
  registry.ia.add({.name = "placement_search",
                   .summary = "look for a placement on several sites that moves fewer bytes",
                   .is_wanted = &is_wanted,
                   .run = &run});
}

}  // namespace tessera::optimizer::pass_placement_search
