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

/// A key dimension that counts the pieces of the tile modes with the same label. Many nodes have
/// the same grid, which may be of thousands of pieces.
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
/// them, with what it shares with its neighbours, so tiles overlap and an element may be in
/// several. A join reads such tiles by the label that says where its window is; nothing else takes
/// them apart or puts them together.
struct WindowDim {
  std::string label;
  Shared<WindowGrid> grid;
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};

using KeyDim = std::variant<DenseDim, WindowDim, BareDim>;

const std::string& label_of(const KeyDim& dim);
/// The same dimension under another label.
KeyDim with_label(KeyDim dim, const std::string& label);
int64_t num_keys(const KeyDim& dim);
/// Where a dimension that counts pieces is cut; null for one that counts none.
const ModeGrid* grid_of(const KeyDim& dim);
/// The windows that a dimension counts; null for one that counts none.
const WindowGrid* windows_of(const KeyDim& dim);

/// A piece of a mode: [begin, begin + length).
struct PieceSpan {
  int64_t begin = 0;
  int64_t length = 0;
  friend bool operator==(const PieceSpan&, const PieceSpan&) = default;
};

/// The piece or the window that a dimension counts by this number; nothing where it counts none.
std::optional<PieceSpan> span_of(const KeyDim& dim, int64_t number);

/// A plan names every tuple that it needs of a relation, and needs no more than this. No key
/// dimension has more keys; all together may have, where a plan needs few of the tuples.
constexpr int64_t kMostTuples = kMostPieces;

/// How many keys a key space has, or kMostTuples + 1 if they are more than kMostTuples.
int64_t num_keys(const std::vector<KeyDim>& key);

/// One mode of the tiles of a relation. If the key has a DenseDim of the same label, `extent` is
/// the whole tensor's and a tile holds the piece its key names; otherwise every tile has the whole
/// extent.
struct Mode {
  std::string label;
  int64_t extent = 0;
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// One array of every tuple; of rows, what each row has of it.
struct Column {
  DType dtype = DType::f32;
  std::vector<Mode> modes;
  friend bool operator==(const Column&, const Column&) = default;
};

/// The type of a tensor relation: a set of (key, arrays). Keys are unique, and continuous but for
/// the tuples that an input or a filter leaves out (TRA §3). A tuple is an array for each column;
/// where `rows` says how many, it is rows of all columns in one tile (types/tile_type.h).
struct RelationType {
  std::vector<KeyDim> key;
  std::vector<Column> columns;
  std::optional<RowCount> rows = std::nullopt;
  KeySet present = AllKeys{};  // the tuples that there are
  friend bool operator==(const RelationType&, const RelationType&) = default;
};

/// How many tuples a relation has, at most; kMostTuples + 1 for more than that.
int64_t num_tuples(const RelationType& type);

/// The arrays of a relation as whole tensors.
std::vector<ArrayType> arrays_of(const RelationType& type);

/// The bytes that one tuple takes, were all alike: its arrays, cut as the key says, or as many rows
/// as are expected.
double tuple_bytes(const RelationType& type);

/// The key dimension with that label, or -1.
int find_key_dim(const std::vector<KeyDim>& key, const std::string& label);

/// Whether some array of the tuples has a mode with that label.
bool has_mode(const RelationType& type, const std::string& label);

/// A relation that the user supplies: the tensor `name`, cut as the node's type says.
struct Input {
  std::string name;
  StorageOrder order = StorageOrder::row_major;  // of its file
  friend bool operator==(const Input&, const Input&) = default;
};

/// A tensor that the user supplies, of which no tile is made: row-major in its file.
struct SourceTensor {
  std::string name;
  ArrayType type;
  friend bool operator==(const SourceTensor&, const SourceTensor&) = default;
};

/// In a join's match: a dimension of one key that the join leaves out.
inline constexpr const char* kNoLabel = "_";

/// n-ary join: tuples whose keys agree on equal labels meet, and the kernel is applied to their
/// arrays.
///
/// match[i][d] is the label that dimension d of input i has in this join, or kNoLabel. The same
/// label twice in one input takes its diagonal. The result's key is `key`: every label of `match`
/// that has more than one key must be in it; a label of `key` that no input has is enumerated (the
/// result is repeated along it). The kernel's inputs are the columns of the inputs in order.
///
/// With a `source` this is one more input of the kernel, the last, and the kernel is a gather from
/// it (expr/table_gather.h) whose tables are the arrays that are joined: the elements that these
/// name are read from the source, and no others.
struct Join {
  std::vector<NodeId> inputs;
  std::vector<std::vector<std::string>> match;
  std::vector<KeyDim> key;
  Shared<expr::TileProgram> kernel;
  std::optional<SourceTensor> source = std::nullopt;
  friend bool operator==(const Join&, const Join&) = default;
};

/// In which order tuples are merged: one after the other by their keys, or as the leaves of a
/// binary tree, in key order too: the first with the second, the third with the fourth, then those;
/// a last one without a partner goes up as it is.
enum class MergeOrder : uint8_t { sequence, tree };

/// Merges the tuples that agree on the key dimensions in `keep` with the monoid, element by
/// element.
///
/// Of a kept dimension in `coarser` the tuples agree whose pieces lie in one piece of that grid,
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

/// Of every tuple what merges all tuples before it along a key dimension, those that agree on all
/// others: the identity for the first. No mode is cut by that dimension, and no tuple is absent.
///
/// A forward scan goes from the first key to the last, a backward one from the last to the first;
/// both merge what comes next from the right.
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

/// The join of the input and the tiles of a scan that walks, under the scan's key: the tuples of a
/// step meet in it. Its kernel lacks its last inputs, the states before.
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

/// Gives every tuple a new key. Two tuples with the same new key, or a gap, are refused when the
/// plan is made.
struct Rekey {
  NodeId input;
  std::vector<KeyExpression> key;
  friend bool operator==(const Rekey&, const Rekey&) = default;
};

/// Keeps the tuples whose key satisfies the predicate: a boolean Scalar whose index_of(n) is key
/// dimension n.
struct Filter {
  NodeId input;
  expr::Scalar predicate;
  friend bool operator==(const Filter&, const Filter&) = default;
};

/// Applies a kernel to the arrays of every tuple.
struct Transform {
  NodeId input;
  Shared<expr::TileProgram> kernel;
  friend bool operator==(const Transform&, const Transform&) = default;
};

/// Cuts an uncut mode; its pieces are counted by a new last key dimension.
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

/// The same tensor in other pieces (EinDecomp §4), or in windows: `key` has the input's key labels
/// in their order, with other grids. Windows are made of pieces, never pieces of windows.
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
  bool is_reproducible = false;  // its bits are those of any cuts (kernels::context_for)

  const Node& at(NodeId id) const { return nodes[id.index()]; }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// The tensors that the user supplies to an operator: an input's own, a join's source. None of
/// relations of rows, which have no type that a tensor could have.
std::vector<SourceTensor> sources_of(const Op& op, const RelationType& type);

/// The nodes an operator reads, in order.
std::vector<NodeId> inputs_of(const Op& op);

/// The operator over other nodes. REQUIRES as many as it reads.
Op with_inputs(Op op, const std::vector<NodeId>& inputs);

/// The results as ir/named_outputs.h sees them.
std::vector<ir::NamedOutput> named_outputs(const std::vector<Output>& outputs);

}  // namespace tessera::tra
