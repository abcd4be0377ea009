#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/kernel.h"
#include "kernels/reference/scalar_code.h"
#include "kernels/scan_start.h"
#include "machine/isa.h"

namespace tessera::kernels {

class Carver;

/// The reference kernel: runs any tile program one element at a time: for every value of a
/// statement's out labels, its `over` labels in row-major order, its expressions node by node.
/// Slow, complete, and the truth that every other kernel is compared with.
///
/// The reduction goes from the identity through the elements in order, or, with a leaf, in the
/// order of leaf_order.h; with `accumulate` its result is then merged into the output from the
/// right. A scan goes from the identity along its label, or from the states before a tile
/// (scan_start.h).
class Interpreter final : public PreparedKernel {
 public:
  /// Takes the functions of the C++ library (Isa::scalar), or those of the kernels of an
  /// instruction set, to the bit.
  Interpreter(const expr::TileProgram& program, const CallShape& shape, Isa isa = Isa::scalar);

  /// Returns the memory of a call besides its tiles, without preparing it.
  static int64_t workspace_bytes(const expr::TileProgram& program, const CallShape& shape);
  Status run(const KernelCall& call) const noexcept override;

 private:
  /// The reduction of a statement with a leaf.
  struct LeafOrder {
    expr::LabelNumber label = 0;
    int64_t length = 1;
    DType chain_type = DType::f32;
    std::vector<ScalarCode> factors;  // the two of a chain; none if leaves have lanes
  };
  /// The walk of a scanning statement.
  struct ScanOrder {
    expr::Scan scan;
    std::vector<expr::LabelNumber> others;  // of the result
  };
  /// The states before a tile that a statement starts from.
  struct StartOrder {
    size_t first_operand = 0;
    std::vector<expr::Index> index;  // of the states before, at the labels' values
    bool is_backward = false;        // what is merged goes from its last position
  };
  /// A statement with its expressions compiled.
  struct StatementCode {
    std::vector<expr::LabelNumber> out;
    std::vector<expr::LabelNumber> over;
    std::vector<expr::Index> out_index;  // the plain out labels: places of the results
    bool reduces = false;
    std::vector<ScalarCode> bodies;
    std::vector<ScalarCode> combine;
    std::vector<Element> identity;
    std::vector<DType> results;
    Shape shape;  // of each result
    Strides strides;
    std::optional<LeafOrder> leaf;
    std::optional<ScanOrder> scan;
    std::optional<StartOrder> start;
  };
  /// The sizes that the scratch of a call depends on.
  struct Counts {
    size_t labels = 0;
    size_t inputs = 0;
    size_t results = 0;  // of all statements
    size_t values = 0;   // nodes of the largest expression
    size_t states = 0;   // results of the widest statement
    bool has_leaf = false;
  };
  /// Views and scratch of one call, laid out in its workspace.
  struct CallScratch {
    std::span<const LabelRange> ranges;
    std::span<int64_t> labels;
    std::span<OperandView> operands;
    std::span<Element> values;
    std::span<Element> states;  // left and right arguments of combine, one after the other
    std::span<Element> merged;  // the result of combine
    std::span<LabelRange> leaf_ranges;
    std::span<Element> lanes;   // a state for each
    std::span<Element> levels;  // merged leaves: level j holds 2^j of them
    size_t first_result = 0;    // operand number of the statement's first result
    DataFault* out_of_range = nullptr;
  };

  static constexpr size_t kMostLevels = 64;  // a label has fewer than 2^63 leaves

  /// Returns the order of a program of one statement.
  static LeafOrder leaf_order_of(const expr::TileProgram& program, const expr::Leaf& leaf, Isa isa);
  static StatementCode statement_of(const expr::TileProgram& program,
                                    const expr::TileStatement& from, const CallShape& shape,
                                    Isa isa);
  static void take_start(StatementCode& statement, const ScanStart& start, Isa isa);
  static void take_monoid(StatementCode& statement, const expr::Monoid& monoid, Isa isa);
  static Counts counts_of(const expr::TileProgram& program);
  static CallScratch take_buffers(Carver& carver, const Counts& counts) noexcept;
  CallScratch lay_out(const KernelCall& call) const noexcept;
  Status run_statement(const StatementCode& statement, CallScratch& scratch,
                       bool accumulate) const noexcept;
  Status compute_element(const StatementCode& statement, CallScratch& scratch,
                         bool accumulate) const noexcept;
  /// Walks the scan's label for every value of the others.
  Status run_scan(const StatementCode& statement, CallScratch& scratch) const noexcept;
  /// Sets the states to those before the tile, or to the identity.
  Status begin_states(const StatementCode& statement, CallScratch& scratch) const noexcept;
  /// Merges the next element into the running state.
  Status merge_element(const StatementCode& statement, CallScratch& scratch) const noexcept;
  /// Merges the next element into the running state and stores it, or the state before.
  Status scan_element(const StatementCode& statement, CallScratch& scratch) const noexcept;
  /// Writes the states to the results at the labels' values.
  Status store_states(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status reduce_over(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status merge_line(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status reduce_leaves(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status reduce_chain(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status reduce_lanes(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status halve_lanes(const StatementCode& statement, CallScratch& scratch,
                     size_t num_lanes) const noexcept;
  /// Computes into = combine(left, right), states of a statement each.
  Status merge(const StatementCode& statement, CallScratch& scratch, const Element* left,
               const Element* right, Element* into) const noexcept;
  Status combine_states(const StatementCode& statement, CallScratch& scratch) const noexcept;
  Status evaluate_bodies(const StatementCode& statement, CallScratch& scratch,
                         std::span<Element> results) const noexcept;

  std::vector<StatementCode> statements_;
  Counts counts_;
};

}  // namespace tessera::kernels
