#include "optimizer/passes.h"

namespace tessera::optimizer::pass_share_subexpressions {

// A part of `fuse`: it prices a larger kernel with its common expressions computed once, so that
// sharing decides what is fused.
void register_pass(PassRegistry& registry) {
  registry.tra.add({.name = "share_subexpressions",
                    .summary = "compute what several statements of one kernel call have once",
                    .is_wanted = {},
                    .run = {}});
}

}  // namespace tessera::optimizer::pass_share_subexpressions
