#pragma once

#include <vector>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/scan/scan_form.h"

namespace tessera::kernels {

/// How a panel scan merges: the programs of its monoid, ready to run over lanes side by side.
/// Immutable once made.
struct ScanMerges {
  /// What an entry of the state is merged with at a position: a panel, or one number.
  struct Element {
    std::optional<Literal> number;
    size_t panel = 0;  // the first entry that reads the same
  };

  std::vector<DType> state;
  std::vector<Element> elements;  // by entry
  std::vector<bool> is_stored;    // by entry
  BlockReduction states;          // two states
  BlockProgram elements_in;       // a state and the elements of a position, which are parameters
  BlockProgram stored_in;         // the same of the entries in `follow` alone
  std::vector<bool> all;          // by entry
  std::vector<bool> follow;       // by entry: the stored ones, and what they are computed from
  /// The parts of elements_in and stored_in, for what they cost.
  std::vector<expr::Scalar> element_bodies;
  std::vector<expr::Scalar> stored_bodies;
};

/// The merges of a form that has no loop; or why it has none.
OrRefusal<ScanMerges> scan_merges(const ScanForm& form, Isa isa);

}  // namespace tessera::kernels
