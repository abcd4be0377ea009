#pragma once

#include <optional>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"
#include "ir/einsum/graph.h"

/// Substitution of a statement's expression into a statement that reads its result.
namespace tessera::optimizer {

/// True if some label has no position: then nothing is computed, and no index has a value.
bool runs_never(const std::vector<expr::LabelDecl>& labels);

/// Simplifies an index: drops its boundary if no position is outside of a mode of this extent,
/// drops labels with one position from a sum, and lists every other label once. REQUIRES
/// !runs_never(labels).
expr::Index without_idle_boundary(const expr::Index& index,
                                  const std::vector<expr::LabelDecl>& labels, int64_t extent);

/// Fits an index to a mode of this extent: a label of fewer positions runs over the first ones,
/// behind a boundary that is never met.
expr::Index fitting(expr::Index index, const std::vector<expr::LabelDecl>& labels, int64_t extent);

/// Returns the indices of an access of a reader, each without an idle boundary.
std::vector<expr::Index> indices_of(const expr::Access& access,
                                    const std::vector<expr::LabelDecl>& labels, const Shape& shape);

/// True if a label of this extent stands alone in one mode of an access, and the mode is as long: a
/// position outside of the one is then outside of the other, even a position that is data.
bool has_whole_mode(const expr::Access& access, const Shape& shape, expr::LabelNumber label,
                    int64_t extent);

/// The place where a statement's result is read: an index for every label of the result, over the
/// reader's labels.
struct ReadPlace {
  std::vector<expr::Index> at;          // by label of what is read
  std::vector<expr::LabelDecl> labels;  // of the reader
  std::vector<Shape> shapes;            // by operand of what is read
  std::vector<int32_t> operands;        // by operand of what is read: its number in the reader
};

/// Returns the place at which an access with these indices reads a vertex. The vertex's operands
/// are appended to the reader's, or found among them.
ReadPlace place_of_read(const einsum::Graph& graph, const einsum::Vertex& read,
                        const std::vector<expr::Index>& indices, einsum::Vertex& reader);

/// Copies an expression of the statement that is read into its reader. A label that stands alone in
/// an index may be read at any index; a label in a sum of labels, or in index(), at linear ones.
///
/// Returns the node of the result, or a refusal that goes on after "T": "is read at a sum of ...".
OrRefusal<int32_t> copy_at(expr::ScalarBuilder& builder, const expr::Scalar& expression,
                           const ReadPlace& place);

/// Returns the operands that an expression reads, each once, in the order it reads them, and
/// renumbers the expression.
std::vector<einsum::VertexId> take_read_operands(const std::vector<einsum::VertexId>& operands,
                                                 expr::Scalar& expression);

}  // namespace tessera::optimizer
