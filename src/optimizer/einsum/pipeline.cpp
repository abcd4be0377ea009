#include "optimizer/einsum/pipeline.h"

namespace tessera::optimizer {

std::vector<Pass> pipeline() {
  return {
      // Constants and functions out of the sums, chains merged, doubles gone: what is left of a
      // contraction is a pure product.
      {},
      // After normalising, since only a pure product has a path. Once, not to a fixpoint: its own
      // intermediates are
      // contractions of two, and a second search over a part of a path could only undo the first.
      {"contraction_path"},
      // Paths of two statements may have parts in common, and operands may be prepared for several
      // in the same way.
      {},
  };
}

}  // namespace tessera::optimizer
