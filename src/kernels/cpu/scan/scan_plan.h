#pragma once

#include <optional>
#include <vector>

#include "kernels/choice.h"
#include "kernels/cpu/fused/statements.h"
#include "kernels/isa/scan_table.h"

namespace tessera::kernels {

/// How a program runs that scans first and then computes element by element: in bands of one label,
/// in the order of the scan, so that what one statement hands to the next stays in the cache.
///
/// The program is brought into a form where the scan reads its elements as they lie: an expression
/// becomes a statement of its own before it.
struct ScanPlan {
  /// A statement that another kernel runs on a band.
  struct Part {
    StatementPart statement;
    KernelPlan kernel;
    std::optional<KernelPlan> shorter;  // for the last band, where its length differs
  };

  expr::TileProgram program;
  size_t scan_at = 0;  // number of the statement that scans: 0 or 1
  ScanEntry loop;
  std::vector<std::optional<Part>> parts;  // by statement; nothing for the scan
  expr::LabelNumber band_label = 0;
  int64_t band_length = 1;
  std::vector<int64_t>
      offsets;  // by result of a statement but the last: its bytes of the workspace
  int64_t state_offset = 0;
  int64_t parts_offset = 0;  // the workspace of the other kernels
  int64_t workspace_bytes = 0;
  Cost cost;

  const expr::TileStatement& scan() const { return program.statements[scan_at]; }
  /// Whether a band goes on where the last one ended.
  bool carries() const { return std::get<expr::Scan>(scan().what).along == band_label; }
};

/// A plan, or why the kernel does not run the program.
OrRefusal<ScanPlan> plan_scan(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context);

}  // namespace tessera::kernels
