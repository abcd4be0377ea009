#pragma once

#include <optional>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"

namespace tessera::kernels {

/// A program that scans, in the form that the loops of scans run: at most one statement makes the
/// elements before it, for each entry of the state; what is computed after it follows.
struct ScanForm {
  expr::TileProgram program;
  size_t scan_at = 0;                  // of the statement that scans or merges
  std::vector<expr::Access> elements;  // what it reads, by entry of the state
  /// Operands that the states start from, by entry, at the labels of the result without the scan's;
  /// none: from the identity.
  std::vector<int32_t> start;

  const expr::TileStatement& scan() const { return program.statements[scan_at]; }
  /// Its labels as loops go through them: those of the result, before them one that is merged away.
  std::vector<expr::LabelNumber> order() const;
  /// The label that it runs along.
  expr::LabelNumber along() const;
  const expr::Monoid& monoid() const { return *expr::monoid_of(scan()); }
};

/// The form of a program whose first statement scans, or merges by a monoid that does not commute,
/// and whose others compute element by element; or why it has none.
///
/// A statement that only takes the first entry of the states, or only merges them with what comes
/// from before, is left out: the loops start from there.
OrRefusal<ScanForm> scan_form(const expr::TileProgram& program);

}  // namespace tessera::kernels
