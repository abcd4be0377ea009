#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"
#include "machine/file_cost.h"
#include "types/shape.h"
#include "types/storage_order.h"

namespace tessera::optimizer::partition {

/// The producer of an input of the graph. Its pieces lie where they are needed (EinDecomp §8.2),
/// but are read from a file.
constexpr int32_t kPreplaced = -1;
/// The label of a mode that no piece of a label cuts: every call reads all of it.
constexpr int32_t kWholeMode = -1;

/// The part of a mode that a piece of its label reads: (step * (length - 1) + span) / divisor
/// elements, rounded up. Plain labels read as many elements as the piece has.
struct ModeReach {
  int64_t step = 1;
  int64_t span = 1;
  int64_t divisor = 1;
  friend bool operator==(const ModeReach&, const ModeReach&) = default;
};

/// A tensor as an operand of a statement.
struct Operand {
  int32_t producer = kPreplaced;  // a statement of the model
  einsum::VertexId vertex{0};     // that is read
  std::vector<int32_t> labels;    // by mode: a label of the reader, or kWholeMode
  Shape shape;
  int64_t element_bytes = 0;
  StorageOrder order = StorageOrder::row_major;  // of an input's file
  bool is_shared = false;             // with another statement, which makes it or reads it too
  std::vector<ModeReach> reach = {};  // by mode
};

/// Returns the elements of a mode that a piece of its label reads; all of a whole mode.
int64_t elements_read(const Operand& operand, size_t mode, int64_t length);

/// True if a mode is read in windows, which its label's pieces place.
bool is_window(const Operand& operand, size_t mode);

/// The array that a statement gathers from its source. The statement's result has the modes of the
/// array, with `num_labels` in place of the gathered one. Modes that are read at one position for
/// each entry of the tables are left out of the array.
struct SourceGather {
  FileArray array;
  size_t mode = 0;
  size_t num_labels = 1;
};

/// The facts about a statement that its costs depend on. Labels are positions in `extents`.
struct StatementModel {
  einsum::VertexId vertex{0};
  std::vector<int64_t> extents;
  std::vector<std::string> names;  // of the labels
  std::vector<bool> whole;         // labels that must not be cut
  std::vector<int64_t> slices;     // by label: the longest piece allowed, at least 1
  std::vector<double> reach;       // by label: bytes of the intermediates through which it flows
  std::vector<int32_t> out;
  std::vector<int32_t> over;
  std::vector<Operand> operands;
  int64_t state_numbers = 1;  // per element of a partial result, when it is sent
  int64_t out_bytes = 0;      // of one element, or of its state
  int64_t result_bytes = 0;   // of one element of the result
  int64_t num_files = 0;      // that the result is written to
  std::optional<SourceGather> gather = std::nullopt;
  double flops_per_point = 1;
  double num_groups = 1;  // that elements are divided among; 1 if nothing is grouped
};

/// A graph in the partitioner's terms: its statements in topological order, without inputs.
struct Model {
  std::vector<StatementModel> statements;
};

/// Makes the model of a graph, without slices and without reach (label_flow.h).
Model model_of(const einsum::Graph& graph);

/// True if some label is to be sliced.
bool is_sliced(const StatementModel& statement);

/// Returns the part of a statement for one slice of every label: the work that is divided into
/// pieces.
StatementModel slice_of(const StatementModel& statement);

/// Orders labels by the worth of cutting them: first labels that flow far, because their cuts fit
/// those of many statements; among equals labels of the result, and long ones.
std::vector<int32_t> labels_by_worth(const StatementModel& statement);

/// Returns numbers that two statements share exactly if they have the same alternatives at the same
/// costs.
std::vector<int64_t> signature_of(const StatementModel& statement);

}  // namespace tessera::optimizer::partition
