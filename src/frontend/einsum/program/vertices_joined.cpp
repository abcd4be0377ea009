#include <algorithm>

#include "expr/function_ids.h"
#include "frontend/einsum/program/vertices.h"

/// Concatenation as an expression: every part is read at the position less its begin, and the
/// position chooses which of these reads counts.
namespace tessera::frontend {

namespace {

bool has_label(const ModeIndex& mode, LabelIndex wanted) {
  bool found = false;
  for_each_label(mode, [&](LabelIndex label) { found = found || label == wanted; });
  return found;
}

/// True if a read takes a label only alone.
bool reads_alone_at(const ResolvedRead& read, LabelIndex label) {
  return std::all_of(read.index.begin(), read.index.end(), [&](const ModeIndex& mode) {
    return std::visit(Overload{[](LabelIndex) { return true; },
                               [&](const ComputedIndex&) { return !has_label(mode, label); },
                               [](const GatherIndex&) { return false; }},
                      mode);
  });
}

/// Returns the index with another label, counted from `begin` on, in a label's place. Positions
/// outside are not chosen, so any value may stand there.
ModeIndex moved(const ModeIndex& mode, LabelIndex label, LabelIndex to, int64_t begin) {
  return has_label(mode, label)
             ? ModeIndex(ComputedIndex{{{{to, 1}}, {}, -begin}, expr::Edge{}, {}})
             : mode;
}

}  // namespace

Value VertexMaker::part_from(Draft& draft, const ResolvedConcat& concat, size_t number,
                             int64_t begin) {
  const ResolvedConcat::Part& part = concat.parts[number];
  const std::vector<LabelIndex> labels = free_labels(part.argument);
  if (std::find(labels.begin(), labels.end(), part.along) == labels.end()) {
    return value_of(draft, part.argument);
  }
  const ResolvedRead* whole = read_at(statement_.nodes[static_cast<size_t>(part.argument)]);
  const bool is_stored = whole != nullptr && reads_alone_at(*whole, part.along);
  const einsum::VertexId vertex = is_stored ? whole->vertex : part_of(part.argument);
  if (extent_of(part.along) == 0) {
    return draft.body.cast(draft.body.number(int64_t{0}), graph_.at(vertex).type.dtype);
  }
  std::vector<ModeIndex> index =
      is_stored ? whole->index : std::vector<ModeIndex>(labels.begin(), labels.end());
  for (ModeIndex& mode : index) {
    mode = moved(mode, part.along, concat.along, begin);
  }
  return read(draft, vertex, index);
}

Value VertexMaker::joined(Draft& draft, const ResolvedConcat& concat) {
  std::vector<Value> parts;
  std::vector<int64_t> ends;
  for (size_t number = 0; number < concat.parts.size(); ++number) {
    const int64_t begin = ends.empty() ? 0 : ends.back();
    parts.push_back(part_from(draft, concat, number, begin));
    ends.push_back(begin + extent_of(concat.parts[number].along));
  }
  Value joined = parts.back();
  for (size_t number = parts.size() - 1; number-- > 0;) {
    const Value position = draft.body.index_of(draft.numbers.at(concat.along));
    const Value is_here =
        draft.body.call(expr::id::kLess, {position, draft.body.number(ends[number])});
    joined = draft.body.call(expr::id::kWhere, {is_here, parts[number], joined});
  }
  return joined;
}

}  // namespace tessera::frontend
