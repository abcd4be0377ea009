#include <numeric>

#include "frontend/einsum/program/binder.h"
#include "frontend/einsum/program/origin.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/vertices.h"

/// Statements that define a tensor, or a part of one.
namespace tessera::frontend {

namespace {

SourceSpan left_side_of(const Assignment& assignment) {
  return {assignment.name.span.begin, assignment.labels.empty()
                                          ? assignment.name.span.end
                                          : assignment.labels.back().span.end + 1};
}

/// Where a statement writes; its vertex is still to be made.
StridedWrite write_at(const ResolvedExpression& resolved, SourceSpan left_side) {
  StridedWrite write{{}, {}, {}, left_side};
  for (const LeftMode& mode : resolved.left) {
    write.modes.push_back(positions_of(mode, resolved.labels));
    write.extents.push_back(mode.extent);
  }
  return write;
}

}  // namespace

bool ProgramBinder::add_left_index(const IndexSyntax& index, const Assignment& assignment,
                                   Environment& environment, Resolver& resolver) {
  if (index.is_slice || index.pad || index.order || is_number(index, syntax_)) {
    report(index.span, "the left side has labels and groups only",
           index.is_slice || index.pad || index.order
               ? "write the index that is computed on the right side"
               : fmt::format("a statement defines a tensor, not an element: {}[i] = where(index(i) "
                             "== 0, a, b)",
                             assignment.name.text));
    return false;
  }
  const auto* label = std::get_if<AccessSyntax>(&syntax_.at(*index.value).of);
  const std::optional<NameSyntax> strided = strided_.label_of(index, assignment);
  if (strided) {
    resolver.add_left_place(index, *strided, environment);
  } else if (label != nullptr && !label->has_brackets && !index.label) {
    resolver.add_left_label(label->name, environment);
  } else {
    resolver.add_left_group(index, environment);
  }
  if (index.num_groups) {
    const std::optional<int64_t> extent =
        extent_of(*index.num_groups, strided ? strided->text : "of groups");
    resolver.give_left_extent(extent.value_or(1), index.span);
    return extent.has_value();
  }
  return true;
}

bool ProgramBinder::add_left_labels(const Assignment& assignment, Environment& environment,
                                    Resolver& resolver) {
  bool all = true;
  for (const IndexSyntax& index : assignment.labels) {
    all = add_left_index(index, assignment, environment, resolver) && all;
  }
  return all;
}

std::optional<StridedWrite> ProgramBinder::make_vertex(const Assignment& assignment,
                                                       const std::string& name, SourceSpan span) {
  if (assignment.version) {
    findings_.add({ErrorKind::unsupported,
                   *assignment.version,
                   "a version of a tensor cannot be computed yet",
                   "",
                   {}});
    return std::nullopt;
  }
  Environment environment(syntax_);
  Resolver resolver(scope_, vocabulary_, findings_);
  resolver.set_defined(assignment.name.text);
  if (!add_left_labels(assignment, environment, resolver)) {
    return std::nullopt;
  }
  const std::optional<ResolvedExpression> resolved =
      resolver.resolve(assignment.value, environment);
  if (!resolved) {
    return std::nullopt;
  }
  VertexMaker maker(*resolved, scope_, vocabulary_, places_, graph_);
  try {
    StridedWrite write = write_at(*resolved, left_side_of(assignment));
    std::vector<LabelIndex> out(assignment.labels.size());
    std::iota(out.begin(), out.end(), 0);
    write.vertex = maker.make(name, out, span);
    sum_warnings_.look_at_new(graph_, resolved->nodes[static_cast<size_t>(resolved->root)].span);
    return write;
  } catch (const Error& error) {
    const bool is_of_left_side = maker.place() == SourceSpan();
    report(error, is_of_left_side ? left_side_of(assignment) : maker.place());
    return std::nullopt;
  }
}

void ProgramBinder::define(const Assignment& statement, std::optional<einsum::VertexId> vertex) {
  Tensor tensor;
  tensor.span = left_side_of(statement);
  tensor.has_failed = !vertex.has_value();
  if (vertex) {
    tensor.vertex = *vertex;
    tensor.type = graph_.at(*vertex).type;
  }
  scope_.tensors[statement.name.text] = tensor;
  assigned_.push_back(statement.name.text);
}

/// The statement that writes the last part defines the tensor.
void ProgramBinder::bind_part(const Assignment& statement, SourceSpan span, WrittenParts& written) {
  const std::string& name = statement.name.text;
  ++written.num_bound;
  const std::string part = fmt::format("{}.{}", name, written.num_bound);
  std::optional<StridedWrite> write = make_vertex(statement, part, span);
  const std::vector<StridedWrite>& others = written.writes;
  if (write && !others.empty() && others.front().modes.size() != write->modes.size()) {
    report(write->span,
           fmt::format("{} has {} modes here and {} where it is written first", name,
                       write->modes.size(), others.front().modes.size()),
           "statements that write parts of a tensor have the same number of indices",
           {others.front().span});
    write.reset();
  }
  written.has_failed = written.has_failed || !write;
  if (write) {
    written.writes.push_back(std::move(*write));
  }
  if (written.num_bound < written.num_statements) {
    return;
  }
  define(statement, written.has_failed ? std::nullopt : join(name, written.writes, span));
}

std::optional<einsum::VertexId> ProgramBinder::join(const std::string& name,
                                                    const std::vector<StridedWrite>& writes,
                                                    SourceSpan span) {
  const std::optional<Shape> shape = shape_of_writes(name, writes, findings_);
  if (!shape) {
    return std::nullopt;
  }
  try {
    einsum::Vertex whole = join_writes(writes, *shape, graph_, vocabulary_);
    TESSERA_USER_CHECK(is_countable(whole.type), "{} has more than 2^60 bytes",
                       to_string(whole.type));
    whole.name = name;
    whole.origin = origin_of(places_, name, span);
    return graph_.add(std::move(whole));
  } catch (const Error& error) {
    report(error, writes.back().span);
    return std::nullopt;
  }
}

void ProgramBinder::bind_statement(const Assignment& statement, SourceSpan span) {
  const auto written = written_.find(statement.name.text);
  if (written != written_.end() && !scope_.tensors.contains(statement.name.text)) {
    bind_part(statement, span, written->second);
    return;
  }
  const std::optional<StridedWrite> made = make_vertex(statement, statement.name.text, span);
  if (is_new_name(statement.name)) {
    define(statement, made ? std::optional(made->vertex) : std::nullopt);
  }
}

}  // namespace tessera::frontend
