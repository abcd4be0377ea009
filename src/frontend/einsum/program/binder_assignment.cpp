#include <algorithm>
#include <numeric>

#include "frontend/einsum/expression/value_ranges.h"
#include "frontend/einsum/program/binder.h"
#include "frontend/einsum/program/counted_syntax.h"
#include "frontend/einsum/program/iteration_help.h"
#include "frontend/einsum/program/origin.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/syntax_names.h"
#include "frontend/einsum/program/vertices.h"

/// Statements that define a tensor, or a part of one.
namespace tessera::frontend {

namespace {

SourceSpan left_side_of(const Assignment& assignment) {
  return {assignment.name.span.begin, assignment.labels.empty()
                                          ? assignment.name.span.end
                                          : assignment.labels.back().span.end + 1};
}

/// Returns the place that a statement writes; its vertex is still to be made.
StridedWrite write_at(const ResolvedExpression& resolved, SourceSpan left_side) {
  StridedWrite write{{}, {}, {}, left_side};
  for (const LeftMode& mode : resolved.left) {
    write.modes.push_back(positions_of(mode, resolved.labels));
    write.extents.push_back(mode.extent);
  }
  return write;
}

/// Returns what counts the groups of an index on the left; null if it makes none.
const GroupCount* count_of(const Assignment& assignment, size_t index) {
  const bool is_known = index < assignment.group_counts.size();
  return is_known && assignment.group_counts[index] ? &*assignment.group_counts[index] : nullptr;
}

}  // namespace

void ProgramBinder::report_left_index(const IndexSyntax& index, const std::string& name) {
  if (index.pad || index.order) {
    report(index.span, "the left side has labels and groups only",
           "write the index that is computed on the right side");
    return;
  }
  report(index.span,
         fmt::format("a statement defines a tensor, not {} of it",
                     index.is_slice ? "a slice" : "one position"),
         fmt::format("choose by position, {0}[i] = where(index(i) == 0, a, b); or join pieces, "
                     "{0}[i] = concat[i](a, b[i]); or write parts by a label, {0}[2*i] and "
                     "{0}[2*i + 1]",
                     name));
}

bool ProgramBinder::add_left_index(const Assignment& assignment, size_t number,
                                   Environment& environment, Resolver& resolver) {
  const IndexSyntax& index = assignment.labels[number];
  if (index.is_slice || index.pad || index.order || names_in(syntax_, *index.value).empty()) {
    report_left_index(index, assignment.name.text);
    return false;
  }
  const auto* label = std::get_if<AccessSyntax>(&syntax_.at(*index.value).of);
  const std::optional<NameSyntax> strided = strided_.label_of(index, assignment);
  if (strided) {
    resolver.add_left_place(index, *strided, environment);
  } else if (label != nullptr && !label->has_brackets && !index.label) {
    resolver.add_left_label(label->name, environment);
  } else {
    const GroupCount* count = count_of(assignment, number);
    const auto told = count == nullptr ? counts_.end() : counts_.find(count->name.text);
    const std::optional<int64_t> counted =
        told == counts_.end() ? std::nullopt : std::optional(num_groups_of(told->second));
    resolver.add_left_group(index, environment, count, counted);
    if (counted && !index.num_groups) {
      resolver.give_left_extent(*counted, index.span);
    }
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
  for (size_t number = 0; number < assignment.labels.size(); ++number) {
    all = add_left_index(assignment, number, environment, resolver) && all;
  }
  return all;
}

/// True if an expression reads a tensor that has no elements.
bool ProgramBinder::reads_nothing(ExpressionId expression) const {
  const std::set<std::string> names = names_in(syntax_, expression);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto tensor = scope_.tensors.find(name);
    return tensor != scope_.tensors.end() && num_elements(tensor->second.type.shape) == 0;
  });
}

std::optional<StridedWrite> ProgramBinder::make_vertex(const Assignment& assignment,
                                                       const std::string& name, SourceSpan span) {
  if (assignment.version) {
    findings_.add({ErrorKind::unsupported,
                   assignment.version->span,
                   "a version of a tensor cannot be computed in a program",
                   std::string(kStepsHelp),
                   {}});
    return std::nullopt;
  }
  Environment environment(syntax_);
  Resolver resolver(scope_, vocabulary_, findings_);
  resolver.set_defined(assignment.name.text.substr(0, assignment.name.text.find('.')));
  if (!add_left_labels(assignment, environment, resolver)) {
    return std::nullopt;
  }
  if (assignment.kept) {
    const std::optional<int64_t> extent = extent_of_kept(assignment);
    if (!extent) {
      return std::nullopt;
    }
    share_kept(assignment, *extent);
    if (is_shared(assignment.name.text)) {
      return std::nullopt;
    }
    resolver.set_kept(*assignment.kept, *extent);
  }
  const std::optional<ResolvedExpression> resolved = resolver.resolve(
      assignment.value, environment, assignment.kept ? assignment.kept->condition : std::nullopt);
  if (!resolved) {
    const GroupCount* count = resolver.count_needed();
    if (count != nullptr && reads_nothing(count->value)) {
      counts_[count->name.text] = kNoElement;
      return make_vertex(assignment, name, span);
    }
    if (count != nullptr) {
      bind_statement(CountStatement{{count->name, {}, count->value, {}},
                                    fmt::format("groups of {}", assignment.name.text)},
                     span);
    }
    return std::nullopt;
  }
  check_laws_used(*resolved);
  VertexMaker maker(*resolved, scope_, vocabulary_, places_, graph_, number_warnings_);
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

/// Binds the statement of one part; the last part defines the tensor.
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

/// Binds a count: a known number is used as it is; otherwise the rest of the program waits for it.
void ProgramBinder::bind_statement(const CountStatement& statement, SourceSpan span) {
  const std::string& name = statement.count.name.text;
  if (waits_for_) {
    return;
  }
  if (is_shared(name)) {
    return;
  }
  if (const auto told = counts_.find(name); told != counts_.end()) {
    scope_.parameters[name] = told->second;
    return;
  }
  bind_statement(statement.count, span);
  waits_for_ = Count{name, statement.what, statement.count.name.span};
  if (const Tensor& counted = scope_.tensors.at(name); !counted.has_failed) {
    waits_for_->at_most = largest_value(graph_, counted.vertex);
  }
}

void ProgramBinder::bind_left(const Assignment& statement, const ArrayType& type, SourceSpan span) {
  const std::string& name = statement.name.text;
  einsum::Vertex vertex;
  vertex.op = einsum::Input{};
  vertex.name = name;
  vertex.type = type;
  for (size_t mode = 0; mode < type.shape.size(); ++mode) {
    const auto* label = std::get_if<AccessSyntax>(&syntax_.at(*statement.labels[mode].value).of);
    const bool is_plain = label != nullptr && !label->has_brackets;
    vertex.labels.push_back(is_plain ? label->name.text : fmt::format("m{}", mode));
  }
  vertex.origin = origin_of(places_, name, span);
  define(statement, graph_.add(std::move(vertex)));
}

/// Makes the count, and the tensors computed for it that later rounds read, the outputs.
void ProgramBinder::bind_left_outputs() {
  if (!findings_.empty()) {
    return;
  }
  const einsum::VertexId count = scope_.tensors.at(waits_for_->name).vertex;
  graph_.outputs = {{waits_for_->name, count}};
  std::vector<bool> is_computed(graph_.vertices.size(), false);
  is_computed[count.index()] = true;
  for (size_t vertex = graph_.vertices.size(); vertex-- > 0;) {
    for (const einsum::VertexId operand : graph_.vertices[vertex].operands) {
      is_computed[operand.index()] = is_computed[operand.index()] || is_computed[vertex];
    }
  }
  std::set<std::string> read = names_from(syntax_, num_looked_at_);
  for (const auto& [name, of] : shared_) {
    if (read.contains(name)) {
      read.insert(of);
    }
  }
  for (const std::string& name : assigned_) {
    const einsum::VertexId vertex = scope_.tensors.at(name).vertex;
    const bool is_left = bindings_.left.contains(name);
    if (name != waits_for_->name && is_computed[vertex.index()] && !is_left &&
        read.contains(name)) {
      graph_.outputs.push_back({name, vertex});
    }
  }
}

void ProgramBinder::bind_statement(const Assignment& statement, SourceSpan span) {
  if (waits_for_) {
    return;
  }
  if (const auto left = bindings_.left.find(statement.name.text); left != bindings_.left.end()) {
    if (!scope_.tensors.contains(statement.name.text)) {
      bind_left(statement, left->second, span);
    }
    return;
  }
  if (is_shared(statement.name.text)) {
    return;
  }
  const auto written = written_.find(statement.name.text);
  if (written != written_.end() && !scope_.tensors.contains(statement.name.text)) {
    bind_part(statement, span, written->second);
    return;
  }
  const std::optional<StridedWrite> made = make_vertex(statement, statement.name.text, span);
  if (waits_for_ || is_shared(statement.name.text)) {
    return;
  }
  if (is_new_name(statement.name,
                  names_in(syntax_, statement.value).contains(statement.name.text))) {
    define(statement, made ? std::optional(made->vertex) : std::nullopt);
  }
}

}  // namespace tessera::frontend
