#include "frontend/einsum/program/language_calls.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

/// Resolves one part. Inside it the label is the part's own, so size(i) is the part's length.
std::optional<ResolvedConcat::Part> Resolver::resolve_part(const NameSyntax& label,
                                                           ExpressionId argument,
                                                           Environment& environment) {
  const LabelIndex along = add_label(environment.spelled(label.text), true);
  StatementLabel& made = result_.labels.back();
  made.is_bound = true;
  made.is_of_part = true;
  made.written = environment.shown(environment.syntax().at(argument).span);
  environment.bind(label.text, along);
  const Resolved node = resolve_node(argument, environment);
  environment.unbind(label.text);
  if (!node) {
    return std::nullopt;
  }
  StatementLabel& read = result_.labels[static_cast<size_t>(along)];
  if (!read.is_used) {
    read.extent = 1;  // a number, or a row
  }
  return ResolvedConcat::Part{along, *node};
}

Resolver::Resolved Resolver::resolve_concat(const ApplicationSyntax& application, SourceSpan span,
                                            Environment& environment) {
  if (application.condition) {
    return report(environment.shown(environment.syntax().at(*application.condition).span),
                  "concat joins all of its parts and takes no condition");
  }
  const auto labels = plain_labels(application.labels, environment);
  if (!labels) {
    return std::nullopt;
  }
  if (labels->size() != 1) {
    return report(environment.shown(span),
                  fmt::format("concat[...] joins along one label, not {}", labels->size()),
                  "write concat[i](x[i], y[i])");
  }
  ResolvedConcat concat{use_label(labels->front(), environment), {}};
  bool all = true;
  for (const ExpressionId argument : application.arguments) {
    const auto part = resolve_part(labels->front(), argument, environment);
    all = all && part.has_value();
    concat.parts.push_back(part.value_or(ResolvedConcat::Part{}));
  }
  if (concat.parts.empty()) {
    return report(environment.shown(span), "concat joins at least one part",
                  "write concat[i](x[i], y[i])");
  }
  return all ? add({std::move(concat), environment.shown(span)}) : std::nullopt;
}

void Resolver::check_concats() {
  for (const ResolvedNode& node : result_.nodes) {
    if (const ResolvedConcat* concat = concat_at(node)) {
      const std::optional<int64_t> length = length_of(*concat, result_);
      if (length == kMostConcat) {
        report(node.span, "what concat joins has 2^60 positions or more");
      } else if (length) {
        give_extent(concat->along, *length, node.span, fmt::format("what {} joins", kConcat));
      }
    }
  }
}

}  // namespace tessera::frontend
