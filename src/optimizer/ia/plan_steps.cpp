#include "optimizer/ia/plan_steps.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "optimizer/ia/chosen_graph.h"

namespace tessera::optimizer {

namespace {

class PlanSteps {
 public:
  PlanSteps(rewrite::Rewriting<ia::Graph>& rewriting, const PlacementMemo& memo,
            const std::vector<size_t>& alternatives)
      : rewriting_(rewriting),
        memo_(memo),
        alternatives_(alternatives),
        now_(alternatives.size(), 0) {}

  void run() {
    for (size_t relation = 0; relation < alternatives_.size(); ++relation) {
      now_[relation] = alternatives_[relation];
      note_rules(relation);
      const bool is_last = relation + 1 == alternatives_.size();
      if (is_last || (rewriting_.is_shown() && !pending_.empty())) {
        if (std::optional<ia::Graph> graph = chosen_graph(memo_, now_)) {
          apply(std::move(*graph));
        }
      }
    }
    TESSERA_CHECK(pending_.empty(), "a plan of the memo cannot be done");
  }

 private:
  /// A rule that was needed since the last step, and its statements.
  struct Pending {
    std::string rule;
    std::vector<std::string> statements;
  };

  void note_rules(size_t relation) {
    const Alternative& alternative =
        memo_.relations()[relation].alternatives[alternatives_[relation]];
    if (memo_.relations()[relation].is_input) {
      return;  // its readers note where it is read
    }
    for (const RequiredInput& required : alternative.required) {
      const MemoGroup& read = memo_.relations()[required.relation];
      if (read.is_input && places_.emplace(required.relation, required.place).second) {
        const bool is_for_reader = read.alternatives[required.place].is_for_reader;
        // Each place of an input is an alternative.
        note_alternative(required.relation, required.place,
                         is_for_reader ? relation : required.relation);
      }
    }
    note_alternative(relation, alternatives_[relation], relation);
  }

  /// Notes the rules that derived an alternative from the first one, at the statement of a
  /// relation.
  void note_alternative(size_t relation, size_t number, size_t at) {
    const MemoGroup& group = memo_.relations()[relation];
    std::vector<std::string> rules;
    for (size_t alternative = number; alternative != 0;
         alternative = group.alternatives[alternative].from) {
      rules.insert(rules.begin(), group.alternatives[alternative].rule);
    }
    std::set<std::string> noted;
    for (const std::string& rule : rules) {
      if (!rule.empty() && noted.insert(rule).second) {
        note(rule, memo_.graph().at(memo_.relations()[at].places[0]).origin.statement);
      }
    }
  }

  void note(const std::string& rule, const std::string& statement) {
    const auto known = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Pending& each) { return each.rule == rule; });
    if (known == pending_.end()) {
      pending_.push_back({rule, {statement}});
    } else if (std::find(known->statements.begin(), known->statements.end(), statement) ==
               known->statements.end()) {
      known->statements.push_back(statement);
    }
  }

  /// Shows the graph after each of the rules that made it.
  void apply(ia::Graph graph) {
    for (Pending& each : pending_) {
      rewriting_.apply(each.rule, [&](const ia::Graph&) {
        return rewrite::Passed<ia::Graph>{graph, std::move(each.statements), {}};
      });
    }
    pending_.clear();
  }

  rewrite::Rewriting<ia::Graph>& rewriting_;
  const PlacementMemo& memo_;
  const std::vector<size_t>& alternatives_;
  std::vector<size_t> now_;  // the alternatives taken so far, the first of all other relations
  std::vector<Pending> pending_;
  std::set<std::pair<size_t, size_t>> places_;  // of inputs that are read there
};

}  // namespace

void take_plan(rewrite::Rewriting<ia::Graph>& rewriting, const PlacementMemo& memo,
               const std::vector<size_t>& alternatives) {
  PlanSteps(rewriting, memo, alternatives).run();
}

}  // namespace tessera::optimizer
