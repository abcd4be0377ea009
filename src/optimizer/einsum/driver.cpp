#include "optimizer/einsum/driver.h"

#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "optimizer/einsum/sweep.h"
#include "optimizer/pipeline.h"

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
        apply(*placed);
      }
    }
    return {std::move(rewriting_).finish(), std::move(report_)};
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
    return rewriting_.apply(rule.name, [&](einsum::Graph graph) {
      return sweep(std::move(graph), rule, context_, options_.largest_intermediate_bytes);
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
