#pragma once

#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/reference/scalar_code.h"

namespace tessera::kernels {

/// Runs any tile program one element at a time: for every value of a statement's out labels, its
/// `over` labels in row-major order, its expressions node by node. Slow, complete, and the truth
/// that every other kernel is compared with.
///
/// The reduction goes from the identity through the elements in order; with `accumulate` its result
/// is then merged into the output from the right.
class Interpreter final : public PreparedKernel {
 public:
  Interpreter(const expr::TileProgram& program, const CallShape& shape);

  int64_t workspace_bytes() const override;
  Status run(const KernelCall& call) const noexcept override;

 private:
  /// A statement with its expressions made ready.
  struct Statement {
    std::vector<expr::LabelNumber> out;
    std::vector<expr::LabelNumber> over;
    std::vector<expr::AffineIndex> out_index;  // the plain out labels: where the results are stored
    bool reduces = false;
    std::vector<ScalarCode> bodies;
    std::vector<ScalarCode> combine;
    std::vector<Element> identity;
    std::vector<DType> results;
    Shape shape;  // of each result
    Strides strides;
  };
  /// Views and scratch of one call, laid out in its workspace.
  struct Frame;

  Frame lay_out(const KernelCall& call, int64_t& bytes) const noexcept;
  Status run_statement(const Statement& statement, Frame& frame, bool accumulate) const noexcept;
  Status compute_element(const Statement& statement, Frame& frame, bool accumulate) const noexcept;
  Status reduce_over(const Statement& statement, Frame& frame) const noexcept;
  Status combine_states(const Statement& statement, Frame& frame) const noexcept;
  Status evaluate_bodies(const Statement& statement, Frame& frame,
                         std::span<Element> results) const noexcept;

  std::vector<Statement> statements_;
  size_t num_labels_ = 0;
  size_t num_inputs_ = 0;
  size_t num_results_ = 0;  // of all statements
  size_t num_values_ = 0;   // nodes of the largest expression
  size_t num_states_ = 0;   // results of the widest statement
};

}  // namespace tessera::kernels
