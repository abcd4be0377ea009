#include "optimizer/tra/fuse.h"

#include <utility>

#include "optimizer/passes.h"

namespace tessera::optimizer::pass_fuse {

namespace {

using rewrite::Rewriting;

bool is_wanted(const tra::Graph&, const PassContext& context) {
  return !context.is_given;
}

void run(Rewriting<tra::Graph>& rewriting, const PassContext& context) {
  const auto subexpressions = context.is_enabled("share_subexpressions")
                                  ? Subexpressions::shared
                                  : Subexpressions::as_written;
  rewriting.apply("fuse", [&](tra::Graph graph) {
    const kernels::Context known = kernels::context_for(context.known, graph.is_reproducible);
    return fuse(std::move(graph), known, subexpressions);
  });
}

}  // namespace

void register_pass(PassRegistry& registry) {
  registry.tra.add(
      {.name = "fuse",
       .summary = "run statements whose tiles correspond one to one in one kernel call",
       .is_wanted = &is_wanted,
       .run = &run});
}

}  // namespace tessera::optimizer::pass_fuse
