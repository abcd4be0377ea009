#include "optimizer/einsum/driver.h"

#include <utility>
#include <vector>

#include "optimizer/einsum/sweep.h"
#include "optimizer/pipeline.h"
#include "optimizer/rewrite/fixpoint.h"

namespace tessera::optimizer {

namespace {

class Driver {
 public:
  Driver(einsum::Graph graph, const RuleRegistry& rules, const kernels::Context& context,
         const OptimizeOptions& options)
      : rules_(rules),
        context_(context),
        options_(options),
        rewriting_(std::move(graph), options.view, report_) {
    for (const Rule& rule : rules.all()) {
      if (is_enabled(rule)) {
        report_.applications[rule.name] = 0;
      }
    }
  }

  Optimized run() {
    for (const std::string& name : einsum_pipeline()) {
      const Rule* placed = rules_.find(name);
      if (name == kNormalize) {
        normalize();
      } else if (placed != nullptr && is_enabled(*placed)) {
        apply_placed(*placed);
      }
    }
    return {std::move(rewriting_).finish(), std::move(report_)};
  }

 private:
  bool is_enabled(const Rule& rule) const { return options_.disabled.count(rule.name) == 0; }

  void normalize() {
    std::vector<const Rule*> enabled;
    for (const Rule& rule : rules_.all()) {
      if (rule.phase == Phase::normalize && is_enabled(rule)) {
        enabled.push_back(&rule);
      }
    }
    rewrite::to_fixpoint(
        enabled, [this](const Rule& rule) { return apply(rule); }, options_.max_rounds);
    rewrite::sort_reasons(report_.reasons, enabled);
  }

  /// Applies a rule once. Repeats a repeatable rule while it changes something if large inputs must
  /// not be held: the table of one gather may be another gather, x[I[J[n]]].
  void apply_placed(const Rule& rule) {
    bool goes_on = apply(rule);
    while (goes_on && options_.wishes.largest_gathered_bytes && rule.is_repeated) {
      goes_on = apply(rule);
    }
  }

  /// Sweeps once. Returns true if anything changed.
  bool apply(const Rule& rule) {
    return rewriting_.apply(rule.name, [&](einsum::Graph graph) {
      return sweep(std::move(graph), rule, context_, options_.wishes);
    });
  }

  const RuleRegistry& rules_;
  const kernels::Context& context_;
  const OptimizeOptions& options_;
  OptimizeReport report_;
  rewrite::Rewriting<einsum::Graph> rewriting_;  // reports to report_
};

}  // namespace

Optimized optimize(const einsum::Graph& graph, const RuleRegistry& rules,
                   const kernels::Context& context, const OptimizeOptions& options) {
  return Driver(graph, rules, context, options).run();
}

}  // namespace tessera::optimizer
