#include "optimizer/pipeline.h"

namespace tessera::optimizer {

std::vector<std::string> einsum_pipeline() {
  return {
      // Constants and functions out of the sums, chains merged, doubles gone: what is left of a
      // contraction is a pure product.
      kNormalize,
      // After normalising, since only a pure product has a path. Once, not to a fixpoint: its own
      // intermediates are contractions of two, and a second search over a part of a path could only
      // undo the first.
      "contraction_path",
      // Paths of two statements may have parts in common, and operands may be prepared for several
      // in the same way.
      kNormalize,
      // Last: what is gathered from a source is a statement by itself, which no other takes in.
      "gather_from_source",
  };
}

std::vector<std::string> tra_pipeline() {
  return {
      // First: what is left out is not fused either.
      "relation_rules",
      // Before fusing: whether one call takes less than several is asked of the kernels that keep
      // the order.
      "stated_order",
      // When the cuts are known: only statements whose tiles correspond one to one are fused.
      "fuse",
  };
}

std::vector<std::string> ia_pipeline() {
  return {
      // On several sites: what to_ia moved to begin with is a plan that runs, not one that is good.
      "placement_search",
  };
}

}  // namespace tessera::optimizer
