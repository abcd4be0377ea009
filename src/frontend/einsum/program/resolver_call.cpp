#include <algorithm>

#include "base/suggest.h"
#include "expr/function_ids.h"
#include "frontend/einsum/program/foreign_names.h"
#include "frontend/einsum/program/language_calls.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

/// A name that the language reserves for a feature that is not built yet.
constexpr std::string_view kGradient = "gradient";

std::string counted_arguments(size_t number) {
  return fmt::format("{} argument{}", number, number == 1 ? "" : "s");
}

}  // namespace

bool Resolver::is_aggregate(const std::string& name) const {
  return scope_.aggregates.contains(name) || vocabulary_.aggregates.find(name) != nullptr;
}

void Resolver::report_unknown_callable(const NameSyntax& name, SourceSpan span) {
  std::vector<std::string> known = vocabulary_.functions.names();
  const std::vector<std::string> aggregates = vocabulary_.aggregates.names();
  known.insert(known.end(), aggregates.begin(), aggregates.end());
  for (const auto* macros : {&scope_.macros, &scope_.prelude}) {
    for (const auto& [macro, unused] : *macros) {
      known.push_back(macro);
    }
  }
  for (const auto& [aggregate, unused] : scope_.aggregates) {
    known.push_back(aggregate);
  }
  for (const DType dtype : all_dtypes()) {
    known.emplace_back(name_of(dtype));
  }
  for (const LanguageCall& call : language_calls()) {
    known.emplace_back(call.name);
  }
  const std::string cure = cure_for_foreign_name(name.text);
  report(span, fmt::format("there is no function, macro or aggregate {}", name.text),
         cure.empty() ? did_you_mean(name.text, known) : cure);
}

/// Reports a keep inside an expression; one that is a whole right side was desugared
/// (counted_syntax.h).
Resolver::Resolved Resolver::report_keep(SourceSpan place) {
  return report(place, "keep is all of a right side, with its label and a condition",
                "name what is kept in a statement of its own: Z[i] = keep[i where s[i] != 0] x[i]");
}

Resolver::Resolved Resolver::resolve_call(const CallSyntax& call, SourceSpan span,
                                          Environment& environment) {
  const std::string& name = call.function.text;
  const expr::Function* function = vocabulary_.functions.find_scalar(name);
  if (call.is_operator && function != nullptr) {
    return resolve_function(*function, call, span, environment);
  }
  if (const Macro* macro = find_macro(name, environment)) {
    return expand(*macro, call.function, {}, call.arguments, span, environment);
  }
  if (const std::optional<DType> dtype = parse_dtype(name)) {
    return resolve_cast(*dtype, call, span, environment);
  }
  if (name == kFloating) {
    return resolve_cast(std::nullopt, call, span, environment);
  }
  if (name == kSize || name == kIndex) {
    return resolve_label_query(call, span, environment);
  }
  if (name == kMasked || name == kWidened || name == kNarrowed || name == kPosition) {
    return resolve_typed(call, span, environment);
  }
  if ((name == expr::id::kMin || name == expr::id::kMax) && call.arguments.size() >= 2) {
    return resolve_extremes(call, span, environment);
  }
  if (name == expr::id::kOnly) {
    return report(span, "only stands under no aggregate of its own",
                  "write the condition where it is: sum[i where c] x");
  }
  if (function != nullptr) {
    return resolve_function(*function, call, span, environment);
  }
  const SourceSpan place = environment.shown(call.function.span);
  if (scanned_by({call.function, {}, {}, {}}, environment)) {
    return report(place, fmt::format("{} is a scan and needs a label", name),
                  fmt::format("write {}[i] x, with the label to run along", name));
  }
  if (is_aggregate(name)) {
    return report(place, fmt::format("{} is an aggregate and needs labels", name),
                  fmt::format("write {}[i] x, with the labels to reduce", name));
  }
  if (const expr::Function* const whole = vocabulary_.functions.find(name)) {
    return report(place, fmt::format("{} is of whole arrays and needs their labels", name),
                  "write " + whole->example);
  }
  if (name == kConcat) {
    return report(place, "concat needs the label that it joins along",
                  "write concat[i](x[i], y[i])");
  }
  if (name == kKeep) {
    return report_keep(place);
  }
  if (name == kGradient) {
    return refuse(span, "a gradient");
  }
  report_unknown_callable(call.function, place);
  return std::nullopt;
}

Resolver::Resolved Resolver::resolve_function(const expr::Function& function,
                                              const CallSyntax& call, SourceSpan span,
                                              Environment& environment) {
  const auto arity = static_cast<size_t>(function.arity);
  if (call.arguments.size() != arity) {
    return report(span, fmt::format("{} takes {}, not {}", function.name, counted_arguments(arity),
                                    call.arguments.size()));
  }
  std::optional<std::vector<int32_t>> arguments = resolve_all(call.arguments, environment);
  return arguments ? add({ResolvedCall{function.name, std::move(*arguments)}, span}) : std::nullopt;
}

Resolver::Resolved Resolver::resolve_extremes(const CallSyntax& call, SourceSpan span,
                                              Environment& environment) {
  const std::string function =
      call.function.text == expr::id::kMin ? expr::id::kMinimum : expr::id::kMaximum;
  if (vocabulary_.functions.find(function) == nullptr) {
    report_unknown_callable({function, call.function.span}, span);
    return std::nullopt;
  }
  const std::optional<std::vector<int32_t>> arguments = resolve_all(call.arguments, environment);
  if (!arguments) {
    return std::nullopt;
  }
  Resolved folded = arguments->front();
  for (size_t next = 1; next < arguments->size() && folded; ++next) {
    folded = add({ResolvedCall{function, {*folded, (*arguments)[next]}}, span});
  }
  return folded;
}

Resolver::Resolved Resolver::resolve_cast(std::optional<DType> dtype, const CallSyntax& call,
                                          SourceSpan span, Environment& environment) {
  if (call.arguments.size() != 1) {
    return report(span, fmt::format("{} converts one expression, not {}", call.function.text,
                                    call.arguments.size()));
  }
  const Resolved argument = resolve_node(call.arguments[0], environment);
  return argument ? add({ResolvedCast{dtype, *argument}, span}) : std::nullopt;
}

Resolver::Resolved Resolver::resolve_typed(const CallSyntax& call, SourceSpan span,
                                           Environment& environment) {
  const std::string& name = call.function.text;
  const size_t num_arguments = name == kWidened || name == kPosition ? 1 : 2;
  if (call.arguments.size() != num_arguments) {
    return report(span, fmt::format("{} takes {}, not {}", name, counted_arguments(num_arguments),
                                    call.arguments.size()));
  }
  std::optional<std::vector<int32_t>> arguments = resolve_all(call.arguments, environment);
  return arguments ? add({ResolvedCall{name, std::move(*arguments)}, span}) : std::nullopt;
}

Resolver::Resolved Resolver::resolve_label_query(const CallSyntax& call, SourceSpan span,
                                                 Environment& environment) {
  const AccessSyntax* label = nullptr;
  if (call.arguments.size() == 1) {
    label = std::get_if<AccessSyntax>(&environment.syntax().at(call.arguments[0]).of);
  }
  if (label == nullptr || label->has_brackets) {
    return report(span, fmt::format("{} takes one label", call.function.text),
                  fmt::format("write {}(i)", call.function.text));
  }
  const bool is_size = call.function.text == kSize;
  Resolved all;  // for several labels: the number of positions, or the place in row-major order
  for (const NameSyntax& part : environment.labels_of(label->name)) {
    const size_t num_unknown = unknown_.size();
    const LabelIndex index =
        is_size ? label_of_size(part, environment) : use_label(part, environment);
    if (unknown_.size() > num_unknown) {
      unknown_.back().query = call.function.text;
    }
    const Resolved size = all || is_size ? add({ResolvedSize{index}, span}) : std::nullopt;
    const Resolved before =
        all ? add({ResolvedCall{expr::id::kMultiply, {*all, *size}}, span}) : std::nullopt;
    if (is_size) {
      all = before ? before : size;
      continue;
    }
    const Resolved position = add({ResolvedIndex{index}, span});
    all = before ? add({ResolvedCall{expr::id::kAdd, {*before, *position}}, span}) : position;
  }
  return all;
}

Resolver::Resolved Resolver::resolve_application(const ApplicationSyntax& application,
                                                 SourceSpan span, Environment& environment) {
  const NameSyntax& name = application.name;
  const SourceSpan place = environment.shown(name.span);
  const Macro* macro = find_macro(name.text, environment);
  const auto aggregate = macro == nullptr ? scanned_by(application, environment) : std::nullopt;
  if (aggregate) {
    return resolve_scan(application, *aggregate, span, environment);
  }
  for (const IndexSyntax& label : application.labels) {
    if (label.order) {
      return refuse_order(label, environment);
    }
  }
  if ((macro != nullptr || is_aggregate(name.text)) && !application.labels.empty() &&
      is_number(application.labels.front(), environment.syntax())) {
    return report(environment.shown(application.labels.front().span),
                  fmt::format("{} takes labels, not the numbers of modes", name.text),
                  fmt::format("write {}[i] x[i], with the label of the mode", name.text));
  }
  if (macro != nullptr || is_aggregate(name.text)) {
    if (macro == nullptr) {
      return resolve_reduction(application, span, environment);
    }
    if (application.condition) {
      return report(environment.shown(environment.syntax().at(*application.condition).span),
                    fmt::format("{} is a macro, and only aggregates take a condition", name.text),
                    "write it in the aggregates of the macro: sum[i where c] x");
    }
    const auto labels = plain_labels(application.labels, environment);
    return labels ? expand(*macro, name, *labels, application.arguments, span, environment)
                  : std::nullopt;
  }
  const expr::Function* const function = vocabulary_.functions.find(name.text);
  if (function != nullptr && function->core) {
    return resolve_whole(*function, application, span, environment);
  }
  if (name.text == kConcat) {
    return resolve_concat(application, span, environment);
  }
  if (name.text == kKeep) {
    return report_keep(place);
  }
  if (name.text == kGradient) {
    return refuse(span, "a gradient");
  }
  if (scope_.tensors.contains(name.text) || scope_.definitions.contains(name.text)) {
    return report(place, fmt::format("{} is a tensor, not an aggregate or a macro", name.text),
                  fmt::format("write an operator after {}[...]", name.text));
  }
  if (function != nullptr) {
    return report(place, fmt::format("{} is a function of numbers and has no labels", name.text),
                  fmt::format("write {}(x)", name.text));
  }
  report_unknown_callable(name, place);
  return std::nullopt;
}

bool Resolver::may_reduce(const NameSyntax& name, const Environment& environment) {
  const auto own = scope_.aggregates.find(name.text);
  if (own == scope_.aggregates.end()) {
    return true;
  }
  const SourceSpan place = environment.shown(name.span);
  if (own->second.combine.size() > 1) {
    report(place,
           fmt::format("{} has a state of several numbers, which only a scan merges", name.text),
           fmt::format("write scan[i] {}(...)", name.text));
  } else if (!own->second.order_matters.empty()) {
    report(place,
           fmt::format("{} cannot reduce: the order must not matter, but {}", name.text,
                       own->second.order_matters),
           fmt::format("a scan keeps the order: scan[i] {}(x)", name.text));
  } else {
    return true;
  }
  return false;
}

LabelIndex Resolver::bind_label(const NameSyntax& label, Environment& environment) {
  const LabelIndex index =
      add_label(environment.spelled(label.text), !environment.is_users(label.text));
  StatementLabel& made = result_.labels[static_cast<size_t>(index)];
  made.is_bound = true;
  made.is_bound_by_macro = environment.is_of_macro();
  made.written = environment.shown(label.span);
  environment.bind(label.text, index);
  return index;
}

Resolver::Resolved Resolver::resolve_reduction(const ApplicationSyntax& application,
                                               SourceSpan span, Environment& environment) {
  const std::string& name = application.name.text;
  const auto labels = plain_labels(application.labels, environment);
  if (!labels) {
    return std::nullopt;
  }
  if (!may_reduce(application.name, environment)) {
    return std::nullopt;
  }
  if (labels->empty() || application.arguments.size() != 1) {
    return report(span,
                  labels->empty() ? fmt::format("{}[] names no label", name)
                                  : fmt::format("{} takes one expression, not {}", name,
                                                application.arguments.size()),
                  fmt::format("write {}[i] x, with the labels to reduce", name));
  }
  ResolvedReduction reduction{name, {}, 0};
  std::vector<std::string> bound;
  for (const NameSyntax& label : *labels) {
    if (std::find(bound.begin(), bound.end(), label.text) != bound.end()) {
      report(environment.shown(label.span), fmt::format("label {} stands twice in {}[...]",
                                                        environment.spelled(label.text), name));
      continue;
    }
    reduction.over.push_back(bind_label(label, environment));
    bound.push_back(label.text);
  }
  const Resolved argument = resolve_guarded(application, span, environment, reduction);
  for (const std::string& label : bound) {
    environment.unbind(label);
  }
  if (!argument) {
    return std::nullopt;
  }
  reduction.argument = *argument;
  return add({std::move(reduction), span});
}

}  // namespace tessera::frontend
