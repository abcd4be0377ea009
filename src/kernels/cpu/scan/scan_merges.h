#pragma once

#include <vector>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/scan/scan_form.h"

namespace tessera::kernels {

/// The merges of a panel scan: the programs of its monoid, compiled to run over lanes side by side.
/// Immutable once made.
struct ScanMerges {
  /// The element that an entry of the state is merged with at a position: a panel, or one number.
  struct Element {
    std::optional<Literal> number;
    size_t panel = 0;  // the first entry that reads the same one
  };

  std::vector<DType> state;
  std::vector<Element> elements;  // by entry
  std::vector<bool> is_stored;    // by entry
  BlockReduction states;          // two states
  BlockProgram elements_in;       // a state and the elements of a position, which are parameters
  BlockProgram stored_in;         // likewise for the entries in `follow` alone
  std::vector<bool> all;          // by entry
  std::vector<bool> follow;       // by entry: the stored ones, and those they depend on
  /// The bodies of elements_in and stored_in, for their cost.
  std::vector<expr::Scalar> element_bodies;
  std::vector<expr::Scalar> stored_bodies;
};

/// Returns the merges of a form that has no loop; or why it has none.
OrRefusal<ScanMerges> scan_merges(const ScanForm& form, Isa isa);

}  // namespace tessera::kernels
