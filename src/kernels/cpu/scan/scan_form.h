#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"
#include "kernels/cpu/scan/scan_loop.h"

namespace tessera::kernels {

/// What is merged at a position, of one entry of the state: read at labels and fixed places, or one
/// number everywhere.
using ScanElement = std::variant<expr::Access, Literal>;

/// A program that scans, in the form that scans run: at most one statement makes the elements
/// before it; what is computed after it follows.
struct ScanForm {
  expr::TileProgram program;
  size_t scan_at = 0;                 // of the statement that scans or merges
  std::vector<ScanElement> elements;  // what it reads, by entry of the state
  std::vector<bool> is_stored;        // by entry: whether its running values are wanted
  /// Operands that the states start from, by entry, at the labels of the result without the scan's;
  /// none: from the identity.
  std::vector<int32_t> start;
  /// Operands that have what lines merge to from the identity, by entry, at the same labels; none:
  /// every line is walked.
  std::vector<int32_t> merged;
  bool is_backward = false;  // from the last position to the first
  /// The loop that scans so; none: a panel scan. A loop reads every element and stores the first
  /// entry alone.
  std::optional<ScanEntry> loop;

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
/// If the states are merged with what comes from before, the scan starts from there
/// (kernels/scan_start.h). The second and last statement is left out where it then only takes an
/// entry of the states.
OrRefusal<ScanForm> scan_form(const expr::TileProgram& program, Isa isa);

}  // namespace tessera::kernels
