#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"
#include "kernels/cpu/scan/scan_loop.h"

namespace tessera::kernels {

/// The element that one entry of the state is merged with: read at labels and fixed places, or one
/// number everywhere.
using ScanElement = std::variant<expr::Access, Literal>;

/// A scanning program in the form that scans run: at most one statement makes the elements before
/// it; elementwise statements may follow.
struct ScanForm {
  expr::TileProgram program;
  size_t scan_at = 0;                 // of the statement that scans or merges
  std::vector<ScanElement> elements;  // its operands, by entry of the state
  std::vector<bool> is_stored;        // by entry: true if its running values are results
  /// The operands that the states start from, by entry, at the labels of the result without the
  /// scan's; none: from the identity.
  std::vector<int32_t> start;
  /// The operands with the lines' merges from the identity, by entry, at the same labels; none:
  /// every line is walked.
  std::vector<int32_t> merged;
  bool is_backward = false;  // from the last position to the first
  /// The loop for this scan; none: a panel scan. A loop reads every element and stores the first
  /// entry alone.
  std::optional<ScanEntry> loop;

  const expr::TileStatement& scan() const { return program.statements[scan_at]; }
  /// Returns its labels in the order of loops: those of the result, preceded by one that is merged
  /// away.
  std::vector<expr::LabelNumber> order() const;
  /// Returns the label that it runs along.
  expr::LabelNumber along() const;
  const expr::Monoid& monoid() const { return *expr::monoid_of(scan()); }
};

/// Reads a program whose first statement scans, or merges by a monoid that does not commute, and
/// whose others compute element by element; or returns why it has no such form.
///
/// If the states are merged with a state before the tile, the scan starts from there
/// (kernels/scan_start.h). If the second and last statement then only takes an entry of the states,
/// it is left out.
OrRefusal<ScanForm> scan_form(const expr::TileProgram& program, Isa isa);

}  // namespace tessera::kernels
