#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/shared.h"
#include "expr/tile_program.h"
#include "ir/named_outputs.h"
#include "ir/tra/key_set.h"
#include "types/array_type.h"
#include "types/dtype.h"
#include "types/grid.h"
#include "types/origin.h"
#include "types/storage_order.h"
#include "types/tile_type.h"

namespace tessera::tra {

struct Graph;
/// A node of a graph of relations, placed on sites (ir/ia) or not.
using NodeId = Id<Graph>;

/// A key dimension that counts the pieces of the tile modes with the same label. Many nodes share a
/// grid, which may have thousands of pieces.
struct DenseDim {
  std::string label;
  Shared<ModeGrid> grid;
  friend bool operator==(const DenseDim&, const DenseDim&) = default;
};

/// A key dimension that is the user's own integer: 0..extent-1. No tile mode depends on it.
struct BareDim {
  std::string label;
  int64_t extent = 1;
  friend bool operator==(const BareDim&, const BareDim&) = default;
};

/// A key dimension that counts windows on the tile modes with the same label: a tile has one of
/// them, with the parts it shares with its neighbours, so tiles overlap and an element may be in
/// several. A join reads such tiles by the label that tells where its window is; no other operator
/// takes them apart or puts them together.
struct WindowDim {
  std::string label;
  Shared<WindowGrid> grid;
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};

using KeyDim = std::variant<DenseDim, WindowDim, BareDim>;

const std::string& label_of(const KeyDim& dim);
/// Returns the same dimension under another label.
KeyDim with_label(KeyDim dim, const std::string& label);
int64_t num_keys(const KeyDim& dim);
/// Returns the grid of a dimension that counts pieces; null for others.
const ModeGrid* grid_of(const KeyDim& dim);
/// Returns the windows of a dimension that counts them; null for others.
const WindowGrid* windows_of(const KeyDim& dim);

/// A piece of a mode: [begin, begin + length).
struct PieceSpan {
  int64_t begin = 0;
  int64_t length = 0;
  friend bool operator==(const PieceSpan&, const PieceSpan&) = default;
};

/// Returns the piece or the window of this number; nothing for a dimension that counts neither.
std::optional<PieceSpan> span_of(const KeyDim& dim, int64_t number);

/// The most tuples that a plan needs of a relation, because it names each. No key dimension has
/// more keys; all together may have, if a plan needs few of the tuples.
constexpr int64_t kMostTuples = kMostPieces;

/// Counts the keys of a key space, or returns kMostTuples + 1 if they are more than kMostTuples.
int64_t num_keys(const std::vector<KeyDim>& key);

/// A mode of the tiles of a relation. If the key has a DenseDim of the same label, `extent` is the
/// whole tensor's and a tile holds the piece its key names; otherwise every tile has the whole
/// extent.
struct Mode {
  std::string label;
  int64_t extent = 0;
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// One array of every tuple; for rows, one field of each row.
struct Column {
  DType dtype = DType::f32;
  std::vector<Mode> modes;
  friend bool operator==(const Column&, const Column&) = default;
};

/// The type of a tensor relation: a set of (key, arrays). Keys are unique, and continuous except
/// for the tuples that an input or a filter leaves out (TRA §3). A tuple is an array for each
/// column; if `rows` has a count, it is rows of all columns in one tile (types/tile_type.h).
struct RelationType {
  std::vector<KeyDim> key;
  std::vector<Column> columns;
  std::optional<RowCount> rows = std::nullopt;
  KeySet present = AllKeys{};  // the present tuples
  friend bool operator==(const RelationType&, const RelationType&) = default;
};

/// Counts the tuples of a relation, at most; kMostTuples + 1 for more than that.
int64_t num_tuples(const RelationType& type);

/// Returns the arrays of a relation as whole tensors.
std::vector<ArrayType> arrays_of(const RelationType& type);

/// Returns the bytes of one tuple if all were alike: its arrays, cut by the key, or the expected
/// number of rows.
double tuple_bytes(const RelationType& type);

/// Returns the key dimension with that label, or -1.
int find_key_dim(const std::vector<KeyDim>& key, const std::string& label);

/// True if some array of the tuples has a mode with that label.
bool has_mode(const RelationType& type, const std::string& label);

/// A relation that the user supplies: the tensor `name`, cut by the node's type.
struct Input {
  std::string name;
  StorageOrder order = StorageOrder::row_major;  // of its file
  friend bool operator==(const Input&, const Input&) = default;
};

/// A tensor that the user supplies and that is never cut into tiles: row-major in its file.
struct SourceTensor {
  std::string name;
  ArrayType type;
  friend bool operator==(const SourceTensor&, const SourceTensor&) = default;
};

/// The label, in a join's match, of a dimension of one key that the join leaves out.
inline constexpr const char* kNoLabel = "_";

/// An n-ary join: tuples whose keys agree on equal labels meet, and the kernel is applied to their
/// arrays.
///
/// match[i][d] is the label that dimension d of input i has in this join, or kNoLabel. The same
/// label twice in one input takes its diagonal. The result's key is `key`: every label of `match`
/// that has more than one key must be in it; a label of `key` that no input has is enumerated (the
/// result is repeated along it). The kernel's inputs are the columns of the inputs in order.
///
/// With a `source` this is one more input of the kernel, the last, and the kernel is a gather from
/// it (expr/table_gather.h) whose tables are the joined arrays: the elements that these name are
/// read from the source, and no others.
struct Join {
  std::vector<NodeId> inputs;
  std::vector<std::vector<std::string>> match;
  std::vector<KeyDim> key;
  Shared<expr::TileProgram> kernel;
  std::optional<SourceTensor> source = std::nullopt;
  friend bool operator==(const Join&, const Join&) = default;
};

/// The order in which tuples are merged: one after the other by their keys, or like the leaves of a
/// binary tree, in key order too: the first with the second, the third with the fourth, then those;
/// a last one without a partner goes up unchanged.
enum class MergeOrder : uint8_t { sequence, tree };

/// An aggregation: it merges the tuples that agree on the key dimensions in `keep` with the monoid,
/// element by element.
///
/// For a kept dimension in `coarser`, tuples agree if their pieces lie in one piece of that grid,
/// which has no cut of its own: the result is partial (Two-phase §2, where tuples are grouped by
/// functions of their keys). No mode is cut by such a dimension.
struct Aggregate {
  NodeId input;
  std::vector<std::string> keep;
  expr::Monoid monoid;
  MergeOrder order = MergeOrder::sequence;
  std::vector<DenseDim> coarser = {};
  friend bool operator==(const Aggregate&, const Aggregate&) = default;
};

/// Merges, for every tuple, all tuples before it along a key dimension that agree on all others:
/// the first gets the identity. No mode is cut by that dimension, and no tuple is absent.
///
/// A forward scan goes from the first key to the last, a backward one from the last to the first;
/// both merge the next tuple from the right.
///
/// A tuple may overflow though all running values of its line are finite: a product of large
/// numbers is infinite, but after a 0 all running products are 0. A scan of such a monoid also
/// reads the `tiles` that its tuples were merged from. A step is then a call of `kernel`, which
/// walks the tile from the state before if merging loses range. match[i] names the labels of
/// tiles[i] in the scan's key, as in a Join. The kernel's inputs are the columns of `input` and of
/// the tiles, and the states before. Without a kernel, a step merges by the monoid.
struct Scan {
  NodeId input;
  std::string along;
  expr::Monoid monoid;
  expr::Scan::Direction direction = expr::Scan::Direction::forward;
  std::vector<NodeId> tiles = {};
  std::vector<std::vector<std::string>> match = {};
  Shared<expr::TileProgram> kernel = {};

  bool walks() const { return !kernel->statements.empty(); }
  friend bool operator==(const Scan&, const Scan&) = default;
};

/// Returns the join of the input and the tiles of a walking scan, under the scan's key: the tuples
/// of a step meet in it. Its kernel lacks its last inputs, the states before.
Join steps_of(const Scan& scan, const std::vector<KeyDim>& key);

/// One dimension of a new key: offset + sum(coefficient * old key dimension). `extent` bounds it.
struct KeyExpression {
  struct Term {
    std::string label;
    int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::string label;
  std::vector<Term> terms;
  int64_t offset = 0;
  friend bool operator==(const KeyExpression&, const KeyExpression&) = default;
};

/// An operator that gives every tuple a new key. Two tuples with the same new key, or a gap, are
/// refused when the plan is made.
struct Rekey {
  NodeId input;
  std::vector<KeyExpression> key;
  friend bool operator==(const Rekey&, const Rekey&) = default;
};

/// A selection of the tuples whose key satisfies the predicate: a boolean Scalar whose index_of(n)
/// is key dimension n.
struct Filter {
  NodeId input;
  expr::Scalar predicate;
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// An operator that applies a kernel to the arrays of every tuple.
struct Transform {
  NodeId input;
  Shared<expr::TileProgram> kernel;
  friend bool operator==(const Transform&, const Transform&) = default;
};

/// An operator that cuts an uncut mode; its pieces are counted by a new last key dimension.
struct Tile {
  NodeId input;
  DenseDim dim;
  friend bool operator==(const Tile&, const Tile&) = default;
};

/// The inverse of Tile: joins the pieces that a dense key dimension counts.
struct Concat {
  NodeId input;
  std::string label;
  friend bool operator==(const Concat&, const Concat&) = default;
};

/// An operator that puts a tensor into other pieces (EinDecomp §4), or into windows: `key` has the
/// input's key labels in their order, with other grids. Windows are made of pieces, never pieces of
/// windows.
struct Repartition {
  NodeId input;
  std::vector<KeyDim> key;
  friend bool operator==(const Repartition&, const Repartition&) = default;
};

/// The closed set of operators of the tensor relational algebra (TRA §3). To add one, see
/// ir/README.md.
using Op =
    std::variant<Input, Join, Aggregate, Rekey, Filter, Transform, Tile, Concat, Repartition, Scan>;

struct Node {
  Op op;
  RelationType type;
  Origin origin;
  friend bool operator==(const Node&, const Node&) = default;
};

struct Output {
  std::string name;
  NodeId node;
  friend bool operator==(const Output&, const Output&) = default;
};

/// A program over tensor relations: nodes in topological order. The narrow waist: every front end
/// ends here.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  bool is_reproducible = false;  // its bits are the same for all cuts (kernels::context_for)

  const Node& at(NodeId id) const { return nodes[id.index()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Returns the tensors that the user supplies to an operator: an input's own, a join's source. None
/// for relations of rows, whose type is no tensor's.
std::vector<SourceTensor> sources_of(const Op& op, const RelationType& type);

/// Returns the nodes an operator reads, in order.
std::vector<NodeId> inputs_of(const Op& op);

/// Returns the operator over other nodes. REQUIRES as many as it reads.
Op with_inputs(Op op, const std::vector<NodeId>& inputs);

/// Returns the results in the form of ir/named_outputs.h.
std::vector<ir::NamedOutput> named_outputs(const std::vector<Output>& outputs);

}  // namespace tessera::tra
