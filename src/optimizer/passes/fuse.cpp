#include "optimizer/tra/fuse.h"

#include <utility>

#include "optimizer/passes.h"

namespace tessera::optimizer {

namespace {

using rewrite::Rewriting;

/// What is reproducible states the order of every sum by itself, so its statements stay apart.
bool is_wanted(const tra::Graph&, const PassContext& context) {
  return !context.is_reproducible && !context.is_given;
}

void run(Rewriting<tra::Graph>& rewriting, const PassContext& context) {
  const auto subexpressions = context.is_enabled("share_subexpressions")
                                  ? Subexpressions::shared
                                  : Subexpressions::as_written;
  rewriting.apply("fuse", [&](tra::Graph graph) {
    return fuse(std::move(graph), context.known, subexpressions);
  });
}

}  // namespace

void register_pass_fuse(PassRegistry& registry) {
  registry.tra.add(
      {.name = "fuse",
       .summary = "run statements whose tiles correspond one to one in one kernel call",
       .is_wanted = &is_wanted,
       .run = &run});
}

}  // namespace tessera::optimizer
