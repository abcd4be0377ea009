#pragma once

#include <optional>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"
#include "ir/einsum/graph.h"

/// The expression of one statement as it stands in another one that reads its result.
namespace tessera::optimizer {

/// Whether some label has no position: nothing is computed, and no index says where it reads.
bool runs_never(const std::vector<expr::LabelDecl>& labels);

/// The index without its boundary where no position is outside of a mode of this extent, and with
/// it where some may be. Of a sum, labels of one position are left out, and every other stands
/// once. REQUIRES !runs_never(labels).
expr::Index without_idle_boundary(const expr::Index& index,
                                  const std::vector<expr::LabelDecl>& labels, int64_t extent);

/// The index as a mode of this extent wants it: a label of fewer positions runs over the first
/// ones, behind a boundary that is not met.
expr::Index fitting(expr::Index index, const std::vector<expr::LabelDecl>& labels, int64_t extent);

/// The indices of an access of a reader, each without an idle boundary.
std::vector<expr::Index> indices_of(const expr::Access& access,
                                    const std::vector<expr::LabelDecl>& labels, const Shape& shape);

/// Whether a label with so many positions stands alone in one mode of an access, and is as long as
/// that: a position outside of the one is outside of the other, also one that is data.
bool has_whole_mode(const expr::Access& access, const Shape& shape, expr::LabelNumber label,
                    int64_t extent);

/// Where a statement's result is read: an index for every label of its result, in the words of the
/// reader.
struct ReadPlace {
  std::vector<expr::Index> at;          // by label of what is read
  std::vector<expr::LabelDecl> labels;  // of the reader
  std::vector<Shape> shapes;            // by operand of what is read
  std::vector<int32_t> operands;        // by operand of what is read: its number in the reader
};

/// The place at which a vertex is read by an access with these indices, its operands listed behind
/// those of the reader, or found among them.
ReadPlace place_of_read(const einsum::Graph& graph, const einsum::Vertex& read,
                        const std::vector<expr::Index>& indices, einsum::Vertex& reader);

/// Copies an expression of what is read into one of the reader. A label that stands alone in an
/// index may be read at any index; one in a sum of labels, or as index(), at linear ones.
///
/// Returns where the result now is, or what follows "T": "is read at a sum of ...".
OrRefusal<int32_t> copy_at(expr::ScalarBuilder& builder, const expr::Scalar& expression,
                           const ReadPlace& place);

/// The operands that an expression reads, each once, in the order in which it reads them; it is
/// numbered anew.
std::vector<einsum::VertexId> take_read_operands(const std::vector<einsum::VertexId>& operands,
                                                 expr::Scalar& expression);

}  // namespace tessera::optimizer
