#include "frontend/einsum/program/vertices.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "expr/function_ids.h"
#include "frontend/einsum/expression/position_arithmetic.h"
#include "frontend/einsum/program/aggregate.h"
#include "frontend/einsum/program/origin.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

/// Returns a name that no label of the vertex has yet: labels of macros may have the same names as
/// the user's.
std::string unused_name(const std::string& wanted, const std::vector<expr::LabelDecl>& labels) {
  std::string name = wanted;
  const auto is_taken = [&](const expr::LabelDecl& label) { return label.name == name; };
  for (int next = 2; std::any_of(labels.begin(), labels.end(), is_taken); ++next) {
    name = fmt::format("{}_{}", wanted, next);
  }
  return name;
}

}  // namespace

int64_t VertexMaker::extent_of(LabelIndex label) const {
  return statement_.labels[static_cast<size_t>(label)].extent.value_or(0);
}

std::vector<LabelIndex> VertexMaker::free_labels(int32_t root) {
  const std::set<LabelIndex>& free = free_.of(root);
  return {free.begin(), free.end()};  // in the order of the left side, then as they were met
}

void VertexMaker::add_labels(Draft& draft, const std::vector<LabelIndex>& out,
                             const std::vector<LabelIndex>& over) const {
  for (const auto* labels : {&out, &over}) {
    for (const LabelIndex label : *labels) {
      const auto number = static_cast<expr::LabelNumber>(draft.einsum.labels.size());
      const std::string& name = statement_.labels[static_cast<size_t>(label)].name;
      draft.einsum.labels.push_back({unused_name(name, draft.einsum.labels), extent_of(label)});
      draft.numbers[label] = number;
      (labels == &out ? draft.einsum.out : draft.einsum.over).push_back(number);
    }
  }
}

expr::Index VertexMaker::computed(const Draft& draft, const ComputedIndex& index,
                                  int64_t extent) const {
  expr::AffineIndex affine;
  __int128 offset = index.position.offset;  // terms may be larger than their sum
  for (const IndexTerm& size : index.position.sizes) {
    offset += __int128{size.coefficient} * extent_of(size.label);
  }
  affine.offset = static_cast<int64_t>(offset);
  for (const IndexTerm& term : index.position.labels) {
    // One position adds nothing, however large its coefficient is.
    if (extent_of(term.label) != 1) {
      affine.terms.push_back({draft.numbers.at(term.label), term.coefficient});
    }
  }
  affine.outside = index.outside;
  expr::Index made = expr::affine(affine);
  const std::optional<expr::LabelNumber> label = expr::plain_label(made);
  if (label && draft.einsum.labels[static_cast<size_t>(*label)].extent != extent) {
    // The first positions of a mode: a label alone would run over all of it. The edge is not met.
    affine.outside = expr::Edge{};
    made = expr::affine(std::move(affine));
  }
  return made;
}

expr::Index VertexMaker::index_of(Draft& draft, const ModeIndex& mode, int64_t extent) {
  return std::visit(
      Overload{[&](LabelIndex label) { return expr::plain(draft.numbers.at(label)); },
               [&](const ComputedIndex& index) { return computed(draft, index, extent); },
               [&](const GatherIndex& gather) {
                 const Value value = value_of(draft, gather.node);
                 const DType dtype = draft.body.dtype_of(value);
                 TESSERA_USER_CHECK(is_integer(dtype) && !value.is_number(),
                                    "an index is an integer, and this is {}; write i64(...)",
                                    name_of(dtype));
                 const Value sure =
                     gather.guard
                         ? draft.body.guarded_index(
                               value, extent, [&] { return guard_value(draft, *gather.guard); })
                         : value;
                 return expr::Index(expr::GatheredIndex{sure.node(), gather.outside});
               }},
      mode);
}

Value VertexMaker::read(Draft& draft, einsum::VertexId vertex,
                        const std::vector<ModeIndex>& index) {
  const ArrayType& type = graph_.at(vertex).type;
  for (size_t mode = 0; mode < index.size(); ++mode) {
    const auto* gather = std::get_if<GatherIndex>(&index[mode]);
    if (gather != nullptr && gather->guard && type.shape[mode] == 0) {
      return read_of_nothing(draft, *gather, type.dtype);
    }
  }
  const auto known = std::find(draft.operands.begin(), draft.operands.end(), vertex);
  const auto operand = static_cast<int32_t>(known - draft.operands.begin());
  if (known == draft.operands.end()) {
    draft.operands.push_back(vertex);
  }
  expr::Access access{operand, {}};
  const Shape shape = graph_.at(vertex).type.shape;  // a part that is added moves vertices
  for (size_t mode = 0; mode < index.size(); ++mode) {
    access.index.push_back(index_of(draft, index[mode], shape[mode]));
  }
  return draft.body.access(std::move(access), graph_.at(vertex).type.dtype);
}

/// No index is harmless in a mode of no positions. The value is 0, and a position for which the
/// guard is true is a fault: it is looked for among 0 groups, elsewhere it is 0 of 1.
Value VertexMaker::read_of_nothing(Draft& draft, const GatherIndex& gather, DType dtype) {
  ExpressionBuilder& body = draft.body;
  const Value index = value_of(draft, gather.node);
  const Value guard = guard_value(draft, *gather.guard);
  const auto whole = [&](int64_t number) { return body.cast(body.number(number), DType::i64); };
  const Value position =
      body.call(expr::id::kWhere, {guard, body.cast(index, DType::i64), whole(0)});
  const Value num_positions = body.call(expr::id::kWhere, {guard, whole(0), whole(1)});
  const Value is_none = body.call(expr::id::kInGroup, {position, whole(-1), num_positions});
  return body.cast(is_none, dtype);
}

einsum::VertexId VertexMaker::part_of(int32_t root) {
  const std::vector<LabelIndex> labels = free_labels(root);
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(root)];
  return add_part(made_at(root, labels, node.span));
}

einsum::VertexId VertexMaker::add_part(einsum::Vertex part) {
  const auto is_equal = [&](einsum::VertexId other) {
    return graph_.at(other).op == part.op && graph_.at(other).operands == part.operands;
  };
  const auto known = std::find_if(parts_.begin(), parts_.end(), is_equal);
  if (known != parts_.end()) {
    return *known;
  }
  part.name = fmt::format("{}.{}", name_, parts_.size() + 1);
  parts_.push_back(graph_.add(std::move(part)));
  return parts_.back();
}

Value VertexMaker::read_part(Draft& draft, const ResolvedNode& node) {
  const auto root = static_cast<int32_t>(&node - statement_.nodes.data());
  const std::vector<LabelIndex> labels = free_labels(root);
  return read(draft, part_of(root), std::vector<ModeIndex>(labels.begin(), labels.end()));
}

Value VertexMaker::leaf(Draft& draft, const ResolvedNode& node) {
  return std::visit(
      Overload{[&](const ResolvedRead& access) { return read(draft, access.vertex, access.index); },
               [&](const ResolvedIndex& index) {
                 return draft.body.index_of(draft.numbers.at(index.label), extent_of(index.label));
               },
               [&](const ResolvedSize& size) { return draft.body.number(extent_of(size.label)); },
               [&](const Among<ResolvedReduction, ResolvedScan, ResolvedWhole> auto&) {
                 return read_part(draft, node);
               },
               [&](const ResolvedConcat& concat) { return joined(draft, concat); },
               [](const Among<Literal, ResolvedParameter, ResolvedCall, ResolvedCast> auto&)
                   -> Value { throw_error(ErrorKind::internal, "no such leaf of a statement"); }},
      node.of);
}

Value VertexMaker::value_of(Draft& draft, int32_t node) {
  return typing(draft).value_of(node);
}

Value VertexMaker::element_of(Draft& draft, const ResolvedNode& node, int32_t element) {
  const Value value = value_of(draft, element);
  return node.is_position ? position(draft.body, value) : value;
}

Value VertexMaker::guard_value(Draft& draft, int32_t guard) {
  return typing(draft).guard_value(guard);
}

/// Returns the value without the roundings that storing repeats: a result is rounded when it is
/// stored, and so is the largest or least of several. A sum takes its terms unrounded, in f32.
Value VertexMaker::unrounded(Draft& draft, const Value& value,
                             const ResolvedReduction* reduction) const {
  if (reduction == nullptr) {
    return draft.body.unrounded(value);
  }
  const std::string& name = reduction->aggregate;
  if (scope_.aggregates.contains(name)) {
    return value;
  }
  if (name == expr::id::kSum || name == expr::id::kMean) {
    return draft.body.unrounded_terms(value);
  }
  const bool is_chosen = name == expr::id::kMax || name == expr::id::kMin;
  return is_chosen ? draft.body.unrounded(value) : value;
}

Typing VertexMaker::typing(Draft& draft) {
  return Typing(
      statement_.nodes, draft.body, draft.guards,
      [&](const ResolvedNode& at) { return leaf(draft, at); }, at_, &warnings_);
}

expr::BoundAggregate VertexMaker::bind_aggregate(const std::string& name,
                                                 const std::vector<DType>& elements) const {
  const auto own = scope_.aggregates.find(name);
  return own != scope_.aggregates.end()
             ? bind_user_aggregate(name, own->second, elements, vocabulary_)
             : vocabulary_.aggregates.find(name)->bind(elements.front());
}

void VertexMaker::check_not_empty(const ResolvedReduction& reduction,
                                  const expr::BoundAggregate& aggregate) const {
  for (const LabelIndex label : reduction.over) {
    TESSERA_USER_CHECK(aggregate.defined_on_empty || reduction.is_grouped || extent_of(label) > 0,
                       "{} of no elements has no value: label {} has extent 0", reduction.aggregate,
                       statement_.labels[static_cast<size_t>(label)].name);
  }
}

einsum::Vertex VertexMaker::make_vertex(int32_t root, const std::vector<LabelIndex>& out,
                                        SourceSpan span) {
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(root)];
  const ResolvedReduction* reduction = reduction_at(node);
  Draft draft{{}, {}, {}, ExpressionBuilder(vocabulary_)};
  add_labels(draft, out, reduction == nullptr ? std::vector<LabelIndex>() : reduction->over);

  const Value value =
      reduction == nullptr ? value_of(draft, root) : element_of(draft, node, reduction->argument);
  draft.einsum.body = draft.body.finish(unrounded(draft, value, reduction));
  at_ = node.span;
  if (reduction != nullptr) {
    draft.einsum.aggregate = reduction->aggregate;
    draft.einsum.reduction = naming_macro(
        node, [&] { return bind_aggregate(reduction->aggregate, {draft.einsum.body.dtype()}); });
    check_not_empty(*reduction, *draft.einsum.reduction);
  }

  const DType dtype =
      reduction == nullptr ? draft.einsum.body.dtype() : draft.einsum.reduction->result();
  einsum::EinSum op = draft.einsum;
  return vertex_of(std::move(draft), std::move(op), dtype, span);
}

einsum::Vertex VertexMaker::vertex_of(Draft draft, einsum::Op op, DType dtype,
                                      SourceSpan span) const {
  einsum::Vertex vertex;
  vertex.type.dtype = dtype;
  for (const expr::LabelNumber label : draft.einsum.out) {
    const expr::LabelDecl& declared = draft.einsum.labels[static_cast<size_t>(label)];
    vertex.labels.push_back(declared.name);
    vertex.type.shape.push_back(declared.extent);
  }
  TESSERA_USER_CHECK(is_countable(vertex.type), "{} has more than 2^60 bytes",
                     to_string(vertex.type));
  vertex.op = std::move(op);
  vertex.operands = std::move(draft.operands);
  vertex.origin = origin_of(places_, name_, span);
  return vertex;
}

namespace {

/// True if a state has a narrow dtype: that of an aggregate that chooses among elements, which
/// works as well in a wider dtype.
bool has_narrow_state(const expr::Monoid& monoid) {
  return std::any_of(monoid.state.begin(), monoid.state.end(),
                     [](DType dtype) { return compute_type(dtype) != dtype; });
}

expr::Scalar converted(const expr::Scalar& expression, DType dtype) {
  expr::ScalarBuilder builder;
  std::vector<int32_t> where;
  for (const expr::Node& node : expression.nodes) {
    where.push_back(builder.add(expr::with_arguments(node, where)));
  }
  return builder.finish(builder.cast(where.back(), dtype));
}

}  // namespace

expr::Scanned VertexMaker::scanned(Draft& draft, const ResolvedNode& node,
                                   const ResolvedScan& scan) {
  std::vector<expr::Scalar> elements;
  std::vector<DType> dtypes;
  for (const int32_t argument : scan.arguments) {
    elements.push_back(draft.body.finish(element_of(draft, node, argument)));
    dtypes.push_back(elements.back().dtype());
  }
  at_ = node.span;
  expr::BoundAggregate bound =
      naming_macro(node, [&] { return bind_aggregate(scan.aggregate, dtypes); });
  if (has_narrow_state(bound.monoid)) {
    const DType result = bound.result();
    elements.front() = converted(elements.front(), compute_type(dtypes.front()));
    bound = bind_aggregate(scan.aggregate, {elements.front().dtype()});
    bound.finalise = converted(bound.finalise, result);
  }
  expr::Scanned made{bound.monoid, {}, bound.finalise};
  for (const expr::Scalar& lift : bound.lift) {
    expr::ScalarBuilder builder;
    std::vector<int32_t> arguments;
    for (const expr::Scalar& element : elements) {
      arguments.push_back(builder.inline_scalar(element, {}));
    }
    arguments.push_back(builder.index_of(draft.numbers.at(scan.along)));
    made.bodies.push_back(builder.finish(builder.inline_scalar(lift, arguments)));
  }
  if (scan.segments) {
    const expr::Scalar segment = draft.body.finish(value_of(draft, *scan.segments));
    made = expr::segmented(made, segment, scan.is_exclusive);
  }
  return made;
}

einsum::Vertex VertexMaker::make_scan(int32_t root, const std::vector<LabelIndex>& out,
                                      SourceSpan span) {
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(root)];
  const ResolvedScan& scan = *scan_at(node);
  Draft draft{{}, {}, {}, ExpressionBuilder(vocabulary_)};
  add_labels(draft, out, {});
  expr::Scanned made = scanned(draft, node, scan);
  const auto direction =
      scan.is_reverse ? expr::Scan::Direction::backward : expr::Scan::Direction::forward;
  const DType dtype = made.result.dtype();
  einsum::Scan op{
      draft.einsum.labels,
      draft.einsum.out,
      {std::move(made.monoid), draft.numbers.at(scan.along), direction, scan.is_exclusive},
      std::move(made.bodies),
      std::move(made.result)};
  return vertex_of(std::move(draft), std::move(op), dtype, span);
}

/// True if the vertex of the statement can make it: a scan or a function of whole arrays needs no
/// vertex of its own if the left side has its labels, and no others.
bool VertexMaker::is_made_at(int32_t root, const std::vector<LabelIndex>& out) {
  const std::vector<LabelIndex> labels = free_labels(root);
  return std::is_permutation(labels.begin(), labels.end(), out.begin(), out.end());
}

einsum::Vertex VertexMaker::made_at(int32_t root, const std::vector<LabelIndex>& out,
                                    SourceSpan span) {
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(root)];
  if (scan_at(node) != nullptr && is_made_at(root, out)) {
    return make_scan(root, out, span);
  }
  if (whole_at(node) != nullptr && is_made_at(root, out)) {
    return make_whole(root, out, span);
  }
  return make_vertex(root, out, span);
}

einsum::VertexId VertexMaker::make(const std::string& name, const std::vector<LabelIndex>& out,
                                   SourceSpan span) {
  name_ = name;
  at_ = span;
  einsum::Vertex vertex = made_at(statement_.root, out, span);
  vertex.name = name;
  return graph_.add(std::move(vertex));
}

}  // namespace tessera::frontend
