#include "optimizer/pipeline.h"

namespace tessera::optimizer {

std::vector<std::string> einsum_pipeline() {
  return {
      // Moves constants and functions out of sums, merges chains and removes duplicates: a
      // contraction is then a pure product.
      kNormalize,
      // After normalising, because only a pure product has a path. Once, and not to a fixpoint: its
      // own intermediates are contractions of two, and a second search over a part of a path could
      // only undo the first.
      "contraction_path",
      // Paths of two statements may share parts, and operands may be prepared for several in the
      // same way.
      kNormalize,
      // Last: a gather from a source is a statement by itself, which no other takes in.
      "gather_from_source",
  };
}

std::vector<std::string> tra_pipeline() {
  return {
      // First: removed nodes need not be fused.
      "relation_rules",
      // Before fusing: the kernels that keep the order tell if one call is cheaper than several.
      "stated_order",
      // After the cuts are known: only statements whose tiles correspond one to one are fused.
      "fuse",
  };
}

std::vector<std::string> ia_pipeline() {
  return {
      // On several sites: the moves that to_ia makes give a plan that runs, but not a good one.
      "placement_search",
  };
}

}  // namespace tessera::optimizer
