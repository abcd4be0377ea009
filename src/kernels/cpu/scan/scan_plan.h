#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/choice.h"
#include "kernels/cpu/fused/statements.h"
#include "kernels/cpu/scan/scan_form.h"
#include "kernels/cpu/scan/scan_merges.h"

namespace tessera::kernels {

/// The plan of a scan with its elementwise statements: bands of its outermost label, in the order
/// of the scan, so that results passed between statements stay in the cache.
struct ScanPlan {
  /// A statement that another kernel runs on a band.
  struct Part {
    StatementPart statement;
    KernelPlan kernel;
    std::optional<KernelPlan> shorter;  // for the last band, if its length differs
  };
  /// A statement's result for a band: at these bytes of the workspace, or an output.
  struct Result {
    size_t statement = 0;
    DType dtype = DType::f32;
    int64_t offset = 0;
    int output = -1;
    bool is_stored = true;  // false: an entry of the states that nothing reads
  };

  ScanForm form;
  std::shared_ptr<const ScanMerges> merging;  // of a panel scan; null if the form has a loop
  /// The merge of the states before a tile with its lines' own merges; null if all are walked.
  std::shared_ptr<const BlockReduction> line_merging;
  bool is_in_parts = false;                // lines of a panel scan (panel_scan.h)
  std::vector<std::optional<Part>> parts;  // by statement; nothing for the scan
  std::vector<Result> results;             // of all statements, in order
  std::vector<expr::LabelNumber> order;    // of the form
  expr::LabelNumber band_label = 0;
  int64_t band_length = 1;
  std::array<int64_t, kMaxStates> state_offset{};  // of the workspace
  int64_t lines_offset = 0;                        // that of the merge of lines
  int64_t panels_offset = 0;                       // the workspace of the panel scan
  int64_t parts_offset = 0;                        // that of the other kernels
  int64_t workspace_bytes = 0;
  Cost cost;

  size_t num_statements() const { return form.program.statements.size(); }
  size_t num_states() const { return form.elements.size(); }
  /// Returns the first of the results that the scan makes.
  size_t first_state() const;
  bool is_backward() const;
  bool is_exclusive() const;
  /// True if the scan merges its label away.
  bool merges() const { return expr::reduction_of(form.scan()) != nullptr; }
  /// True if a band continues where the last one ended.
  bool carries() const { return form.along() == band_label; }
};

/// Plans a program, or returns why the kernel does not run it.
OrRefusal<ScanPlan> plan_scan(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context);

}  // namespace tessera::kernels
