#include "optimizer/einsum/driver.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "optimizer/einsum/pipeline.h"
#include "optimizer/tra/fuse.h"

namespace tessera::optimizer {

namespace {

class Driver {
 public:
  Driver(einsum::Graph graph, const RuleRegistry& rules, const kernels::Context& context,
         const OptimizeOptions& options)
      : rules_(rules), context_(context), options_(options), result_{std::move(graph), {}} {
    for (const Rule& rule : rules.all()) {
      if (is_enabled(rule)) {
        result_.report.applications[rule.name] = 0;
      }
    }
  }

  Optimized run() {
    for (const Pass& pass : pipeline()) {
      const Rule* placed = rules_.find(pass.placed_rule);
      if (pass.placed_rule.empty()) {
        normalize();
      } else if (placed != nullptr && is_enabled(*placed)) {
        apply(*placed);
      }
    }
    return std::move(result_);
  }

 private:
  bool is_enabled(const Rule& rule) const { return options_.disabled.count(rule.name) == 0; }

  void normalize() {
    std::vector<std::string> last_round;
    for (int64_t round = 0; round < options_.max_rounds; ++round) {
      last_round.clear();
      for (const Rule& rule : rules_.all()) {
        if (rule.phase == Phase::normalize && is_enabled(rule) && apply(rule)) {
          last_round.push_back(rule.name);
        }
      }
      if (last_round.empty()) {
        return;
      }
    }
    throw_error(ErrorKind::internal,
                "after {} rounds the rules {} still undo each other; switch one of them off",
                options_.max_rounds, fmt::join(last_round, ", "));
  }

  /// Sweeps once; says whether anything changed.
  bool apply(const Rule& rule) {
    std::string before = options_.print ? options_.print(result_.graph) : "";
    Sweep made =
        sweep(std::move(result_.graph), rule, context_, options_.largest_intermediate_bytes);
    result_.graph = std::move(made.graph);
    keep_reasons(rule, std::move(made.reasons));
    if (made.applied_at.empty()) {
      return false;
    }
    if (options_.look) {
      options_.look(rule.name, result_.graph);
    }
    result_.report.applications[rule.name] += static_cast<int64_t>(made.applied_at.size());
    if (options_.print) {
      result_.report.steps.push_back({rule.name, std::move(made.applied_at), std::move(before),
                                      options_.print(result_.graph)});
    }
    return true;
  }

  void keep_reasons(const Rule& rule, std::vector<Reason> reasons) {
    std::vector<Reason>& kept = result_.report.reasons;
    kept.erase(std::remove_if(kept.begin(), kept.end(),
                              [&](const Reason& old) { return old.rule == rule.name; }),
               kept.end());
    std::move(reasons.begin(), reasons.end(), std::back_inserter(kept));
  }

  const RuleRegistry& rules_;
  const kernels::Context& context_;
  const OptimizeOptions& options_;
  Optimized result_;
};

/// Every rule, and the step on relations (fuse.h) that is switched off in the same way.
void check_names(const std::set<std::string>& disabled, const RuleRegistry& rules) {
  std::vector<std::string> known = rules.names();
  known.insert(std::upper_bound(known.begin(), known.end(), kFuse), kFuse);
  for (const std::string& name : disabled) {
    const std::string guess = did_you_mean(name, known);
    TESSERA_USER_CHECK(std::find(known.begin(), known.end(), name) != known.end(),
                       "there is no optimizer rule {}; {}the rules are {}", name,
                       guess.empty() ? guess : guess + " ", fmt::join(known, ", "));
  }
}

}  // namespace

Optimized optimize(const einsum::Graph& graph, const RuleRegistry& rules,
                   const kernels::Context& context, const OptimizeOptions& options) {
  check_names(options.disabled, rules);
  return Driver(graph, rules, context, options).run();
}

}  // namespace tessera::optimizer
