#include "frontend/einsum/program/binder.h"

#include <algorithm>
#include <set>

#include "base/suggest.h"
#include "frontend/einsum/program/aggregate.h"
#include "frontend/einsum/program/aggregate_definition.h"
#include "frontend/einsum/program/aggregate_laws.h"
#include "frontend/einsum/program/counted_syntax.h"
#include "frontend/einsum/program/given.h"
#include "frontend/einsum/program/grouping_warnings.h"
#include "frontend/einsum/program/inputs.h"
#include "frontend/einsum/program/iteration_help.h"
#include "frontend/einsum/program/macro_head.h"
#include "frontend/einsum/program/number.h"
#include "frontend/einsum/program/origin.h"
#include "frontend/einsum/program/parser.h"
#include "frontend/einsum/program/prelude.h"
#include "frontend/einsum/program/syntax_names.h"

namespace tessera::frontend {

namespace {

/// Estimates the number of tensors in a program's graph from the names in its text.
size_t num_written_tensors(const ProgramSyntax& syntax) {
  size_t count = 0;
  for (const Statement& statement : syntax.statements) {
    const auto* inputs = std::get_if<InputStatement>(&statement.of);
    count += inputs != nullptr ? inputs->inputs.size() : 1;
  }
  return count;
}

}  // namespace

ProgramBinder::ProgramBinder(const ProgramSyntax& syntax, const ProgramSyntax& prelude,
                             const Bindings& bindings, const Vocabulary& vocabulary,
                             Diagnostics& findings, Diagnostics& warnings)
    : syntax_(syntax),
      bindings_(bindings),
      vocabulary_(vocabulary),
      findings_(findings),
      places_(findings.source()),
      strided_(syntax, vocabulary),
      sum_warnings_(warnings),
      number_warnings_(warnings),
      counts_(bindings.counts) {
  add_prelude(prelude, vocabulary_, scope_);
}

void ProgramBinder::report(SourceSpan span, std::string message, std::string help,
                           std::vector<SourceSpan> others) {
  findings_.add({ErrorKind::user, span, std::move(message), std::move(help), std::move(others)});
}

void ProgramBinder::report(const Error& error, SourceSpan span) {
  if (error.kind() == ErrorKind::internal) {
    throw error;
  }
  findings_.add({error.kind(), span, error.message(), "", {}});
}

void ProgramBinder::collect_definitions() {
  for (const auto& [tensor, num_statements] : strided_.num_statements()) {
    written_[tensor].num_statements = num_statements;
  }
  for (const Statement& statement : syntax_.statements) {
    std::visit(
        Overload{[&](const InputStatement& headers) {
                   for (const InputSyntax& input : headers.inputs) {
                     scope_.definitions.try_emplace(input.name.text, input.name.span);
                   }
                 },
                 [&](const Assignment& assignment) {
                   const std::string& name = assignment.name.text;
                   scope_.definitions.try_emplace(name, assignment.name.span);
                   if (written_.contains(name)) {  // only the last part makes it whole
                     scope_.definitions[name] = assignment.name.span;
                   }
                 },
                 [](const Among<LabelStatement, ParameterStatement, MacroStatement,
                                AggregateStatement, OutputStatement, CountStatement> auto&) {}},
        statement.of);
  }
}

bool ProgramBinder::is_new_name(const NameSyntax& name, bool reads_itself) {
  const auto tensor = scope_.tensors.find(name.text);
  const auto parameter = parameters_.find(name.text);
  const bool is_known = tensor != scope_.tensors.end() || parameter != parameters_.end();
  if (is_known) {
    report(name.span, fmt::format("{} is defined already", name.text),
           reads_itself ? fmt::format("give the new value a name of its own; {}", kStepsHelp)
                        : "a name means one thing in the whole program: choose another one",
           {tensor != scope_.tensors.end() ? tensor->second.span : parameter->second});
  }
  return !is_known;
}

std::optional<int64_t> ProgramBinder::extent_of(ExpressionId expression, const std::string& label) {
  const std::optional<Literal> number =
      number_of(expression, syntax_, scope_, vocabulary_, findings_);
  if (!number) {
    return std::nullopt;
  }
  const auto* extent = std::get_if<int64_t>(&*number);
  if (extent == nullptr || *extent < 0) {
    report(syntax_.at(expression).span,
           fmt::format("the extent of label {} is {}, which is no whole number from 0 on", label,
                       to_string(*number)));
    return std::nullopt;
  }
  return *extent;
}

void ProgramBinder::keep_sizes(const std::map<std::string, LabelSize>& sizes) {
  for (const auto& [label, size] : sizes) {
    const auto [known, is_new] = scope_.label_sizes.try_emplace(label, size);
    if (!is_new && known->second.extent != size.extent) {
      scope_.label_sizes.erase(known);  // two headers differ: neither fixes the label
    }
  }
}

void ProgramBinder::bind_input(const InputSyntax& input, std::optional<ArrayType> type) {
  if (!is_new_name(input.name)) {
    return;
  }
  Tensor tensor;
  tensor.span = input.span;
  tensor.has_failed = !type.has_value();
  tensor.is_left_out = left_out_of(input);
  if (type) {
    einsum::Vertex vertex;
    vertex.op = einsum::Input{storage_order_of(input.name.text, bindings_.column_major)};
    vertex.name = input.name.text;
    vertex.type = *type;
    vertex.labels = labels_of(input);
    vertex.origin = origin_of(places_, input.name.text, input.span);
    tensor.type = *type;
    tensor.vertex = graph_.add(std::move(vertex));
  }
  scope_.tensors[input.name.text] = std::move(tensor);
}

void ProgramBinder::bind_statement(const InputStatement& statement, SourceSpan) {
  InputHeaders headers(bindings_, scope_, findings_);
  for (const InputSyntax& input : statement.inputs) {
    std::vector<std::optional<int64_t>> sizes;
    bool all_known = true;
    for (const HeaderLabelSyntax& label : input.labels) {
      sizes.push_back(label.size ? extent_of(*label.size, label.name.text) : std::nullopt);
      all_known = all_known && sizes.back().has_value() == label.size.has_value();
    }
    const std::optional<ArrayType> type = headers.check(input, sizes);
    bind_input(input, all_known ? type : std::nullopt);
  }
  keep_sizes(headers.sizes());
}

void ProgramBinder::bind_statement(const LabelStatement& statement, SourceSpan span) {
  const std::optional<int64_t> extent = extent_of(statement.size, statement.name.text);
  const auto known = scope_.label_sizes.find(statement.name.text);
  if (known != scope_.label_sizes.end() && known->second.is_declared) {
    report(statement.name.span, fmt::format("label {} is declared already", statement.name.text),
           "", {known->second.span});
    return;
  }
  // A label whose size could not be read counts as known, so that its uses are not reported too.
  scope_.label_sizes[statement.name.text] = {extent.value_or(1), span, extent.has_value()};
}

void ProgramBinder::bind_statement(const ParameterStatement& statement, SourceSpan) {
  const std::string& name = statement.name.text;
  if (!is_new_name(statement.name)) {
    return;
  }
  parameters_[name] = statement.name.span;
  const auto given = bindings_.parameters.find(name);
  std::optional<Literal> value;
  if (statement.value) {
    value = number_of(*statement.value, syntax_, scope_, vocabulary_, findings_);
  } else if (given == bindings_.parameters.end()) {
    findings_.add({ErrorKind::user,
                   statement.name.span,
                   fmt::format("parameter {} has no value", name),
                   fmt::format("give it one, or write param {} = 1", name),
                   {},
                   Remedy{Setting::parameter, name + "=1"}});
  }
  // A parameter without a value counts as known, so that its uses are not reported too.
  scope_.parameters[name] =
      given != bindings_.parameters.end() ? given->second : value.value_or(int64_t{1});
}

void ProgramBinder::bind_statement(const MacroStatement& statement, SourceSpan) {
  const std::string& name = statement.name.text;
  if (const auto known = scope_.macros.find(name); known != scope_.macros.end()) {
    report(statement.name.span, fmt::format("macro {} is defined already", name), "",
           {known->second.statement->name.span});
    return;
  }
  check_macro_head(statement, findings_);
  scope_.macros[name] = {&syntax_, &statement};
}

void ProgramBinder::bind_statement(const AggregateStatement& statement, SourceSpan) {
  const std::string& name = statement.name.text;
  const auto own = scope_.aggregates.find(name);
  if ((own != scope_.aggregates.end() && !own->second.is_of_prelude) ||
      vocabulary_.aggregates.find(name) != nullptr) {
    report(statement.name.span, fmt::format("there is an aggregate {} already", name),
           "choose another name");
    return;
  }
  std::optional<UserAggregate> made =
      define_aggregate(statement, syntax_, scope_, vocabulary_, findings_);
  if (!made) {
    scope_.aggregates[name] = {{{{{Literal(int64_t{0}), {}}}, 0, {}, false}}, {int64_t{0}}, {}};
    return;
  }
  UserAggregate& known = scope_.aggregates[name] = std::move(*made);
  try {
    TriedLaws tried = try_laws(name, known, vocabulary_);
    known.order_matters = std::move(tried.order_matters);
    known.broken_law = std::move(tried.broken);
    known.span = statement.combine_span;
  } catch (const Error& error) {
    report(error, statement.combine_span);
  }
}

/// Tries laws that do not hold for all numbers on the states of an aggregate's uses.
void ProgramBinder::check_laws_used(const ResolvedExpression& statement) {
  for (const ResolvedNode& node : statement.nodes) {
    const ResolvedScan* scan = scan_at(node);
    const ResolvedReduction* reduction = reduction_at(node);
    if (scan == nullptr && reduction == nullptr) {
      continue;
    }
    const std::string& name = scan != nullptr ? scan->aggregate : reduction->aggregate;
    const auto own = scope_.aggregates.find(name);
    if (own == scope_.aggregates.end() || own->second.broken_law.empty()) {
      continue;
    }
    const std::optional<TriedLaws> tried = try_laws_where_used(
        name, own->second, statement,
        scan != nullptr ? scan->arguments : std::vector<int32_t>{reduction->argument}, vocabulary_);
    own->second.is_used = true;
    const std::string& broken = tried ? tried->broken : own->second.broken_law;
    if (!broken.empty()) {
      report(own->second.span, broken);
    }
  }
}

/// Reports broken laws. An aggregate that no statement uses must obey them for all states.
void ProgramBinder::report_broken_laws() {
  for (const auto& [name, aggregate] : scope_.aggregates) {
    if (!aggregate.broken_law.empty() && !aggregate.is_used) {
      report(aggregate.span, aggregate.broken_law);
    }
  }
}

void ProgramBinder::bind_statement(const OutputStatement& statement, SourceSpan) {
  outputs_.insert(outputs_.end(), statement.names.begin(), statement.names.end());
}

void ProgramBinder::bind_outputs() {
  std::set<std::string> seen;
  for (const NameSyntax& name : outputs_) {
    const auto tensor = scope_.tensors.find(name.text);
    if (tensor == scope_.tensors.end()) {
      report(name.span, fmt::format("there is no tensor {} to put out", name.text),
             did_you_mean(name.text, names_of(scope_.tensors)));
    } else if (!seen.insert(name.text).second) {
      report(name.span, fmt::format("{} is an output already", name.text));
    } else if (!tensor->second.has_failed) {
      graph_.outputs.push_back({name.text, tensor->second.vertex});
    }
  }
}

void ProgramBinder::bind_unread_outputs() {
  std::set<einsum::VertexId> read;
  for (const einsum::Vertex& vertex : graph_.vertices) {
    read.insert(vertex.operands.begin(), vertex.operands.end());
  }
  // Statements that a tensor of an earlier round was computed from are not read again.
  const std::set<std::string> named =
      bindings_.left.empty() ? std::set<std::string>() : names_from(syntax_, 0);
  for (const std::string& name : assigned_) {
    const Tensor& tensor = scope_.tensors.at(name);
    if (!tensor.has_failed && !read.contains(tensor.vertex) && !named.contains(name)) {
      graph_.outputs.push_back({name, tensor.vertex});
    }
  }
}

std::set<std::string> ProgramBinder::defined() const {
  return {assigned_.begin(), assigned_.end()};
}

BoundProgram ProgramBinder::bind() {
  collect_definitions();
  graph_.vertices.reserve(num_written_tensors(syntax_));
  for (const Statement& statement : syntax_.statements) {
    std::visit([&](const auto& of) { bind_statement(of, statement.span); }, statement.of);
    num_looked_at_ += waits_for_ ? 0 : 1;
  }
  check_given(bindings_, syntax_, parameters_, findings_);
  if (waits_for_) {
    bind_left_outputs();
    return {std::move(graph_), std::move(waits_for_), labels_in(syntax_), defined()};
  }
  report_broken_laws();
  bind_outputs();
  if (outputs_.empty()) {
    bind_unread_outputs();
  }
  if (outputs_.empty() && assigned_.empty() && findings_.empty()) {
    report({0, 0}, "the program computes nothing", "write a statement: Y[i] = 2 * X[i]");
  }
  const bool is_part = !bindings_.left.empty();
  return {std::move(graph_), {}, is_part ? labels_in(syntax_) : std::set<std::string>(), defined()};
}

Result<BoundProgram> bind_program(const SourceText& source, const Bindings& bindings,
                                  const Vocabulary& vocabulary) {
  Diagnostics findings(source);
  const ProgramSyntax syntax = with_counts(parse_program(findings), findings);
  if (!findings.empty()) {
    return findings;  // names of statements that could not be read would be unknown in others
  }
  const ProgramSyntax prelude = parsed_prelude();
  Diagnostics warnings(source);
  warn_of_groupings(syntax, vocabulary.aggregates, warnings);
  BoundProgram program =
      ProgramBinder(syntax, prelude, bindings, vocabulary, findings, warnings).bind();
  if (!findings.empty()) {
    return findings;
  }
  return {std::move(program), std::move(warnings)};
}

}  // namespace tessera::frontend
