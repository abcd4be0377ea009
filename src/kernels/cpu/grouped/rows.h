#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/grouped/merging.h"
#include "kernels/cpu/grouped/reading.h"
#include "kernels/cpu/grouped/stored_value.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// A GroupedProgram compiled: one walk over the rows of a call, kBlock at a time.
///
/// For each block the stages are computed first. Then the rows are found that belong to the call's
/// groups, and their values are computed and merged row after row. The order in which a result is
/// merged depends only on the lengths of the call.
class GroupedRows : public PreparedKernel {
 public:
  static OrRefusal<std::shared_ptr<const GroupedRows>> compile(const expr::TileStatement& statement,
                                                               GroupedProgram program, Isa isa);

  const GroupedProgram& program() const { return program_; }
  /// True if rows are merged directly from an operand, with nothing computed before.
  bool merges_as_stored() const { return !stored_.empty(); }
  int64_t workspace_bytes() const;
  Status run(const KernelCall& call) const noexcept override;

 private:
  class Run;

  GroupedRows(const expr::TileStatement& statement, GroupedProgram program,
              BlockReduction reduction, Isa isa)
      : out_(statement.out),
        program_(std::move(program)),
        reduction_(std::move(reduction)),
        merges_(merges_of(reduction_.monoid(), isa)),
        isa_(isa) {}

  std::vector<expr::LabelNumber> out_;
  GroupedProgram program_;
  BlockReduction reduction_;
  std::vector<MergeRows> merges_;       // empty: by the reduction's program
  std::vector<BlockProgram> programs_;  // of the stages, then of the values
  std::vector<bool> is_stored_;         // by stage: its values are integers of an operand
  std::vector<StoredValue> stored_;     // by state; empty: they are computed
  Isa isa_;
};

}  // namespace tessera::kernels
