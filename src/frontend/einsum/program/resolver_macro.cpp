#include <algorithm>

#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

/// True if a name stands in the body of that macro. An argument of a macro is outside of it.
bool is_inside(const Environment& environment, const std::string& macro) {
  for (const Environment* at = &environment; at != nullptr; at = at->caller()) {
    if (at->is_of_macro() && at->macro() == macro) {
      return true;
    }
  }
  return false;
}

size_t num_required(const MacroStatement& macro) {
  return static_cast<size_t>(
      std::count_if(macro.arguments.begin(), macro.arguments.end(),
                    [](const MacroParameterSyntax& argument) { return !argument.value; }));
}

/// True if the numbers fit: a macro of one label parameter takes several labels there, as an
/// aggregate does.
bool may_take(const MacroStatement& macro, size_t num_labels, size_t num_arguments) {
  const bool has_labels =
      macro.labels.size() == 1 ? num_labels > 0 : num_labels == macro.labels.size();
  return has_labels && num_arguments >= num_required(macro) &&
         num_arguments <= macro.arguments.size();
}

std::string counted_labels(const MacroStatement& macro) {
  return macro.labels.size() == 1 ? "1 or more labels"
                                  : fmt::format("{} labels", macro.labels.size());
}

std::string counted_arguments(const MacroStatement& macro) {
  const size_t least = num_required(macro);
  const size_t most = macro.arguments.size();
  return least == most ? fmt::format("{} argument{}", most, most == 1 ? "" : "s")
                       : fmt::format("{} to {} arguments", least, most);
}

/// Binds the parameters of a macro for one use of it.
void add_parameters(Environment& inner, const MacroStatement& macro,
                    const std::vector<NameSyntax>& labels,
                    const std::vector<ExpressionId>& arguments, Environment& caller) {
  if (macro.labels.size() == 1) {
    std::vector<std::string> names;
    for (const NameSyntax& label : labels) {
      names.push_back(label.text);
    }
    inner.add_labels(macro.labels.front().text, names);
  } else {
    for (size_t position = 0; position < labels.size(); ++position) {
      inner.add_labels(macro.labels[position].text, {labels[position].text});
    }
  }
  for (size_t position = 0; position < macro.arguments.size(); ++position) {
    const MacroParameterSyntax& parameter = macro.arguments[position];
    const bool is_given = position < arguments.size();
    inner.add_argument(parameter.name.text, is_given ? MacroArgument{arguments[position], &caller}
                                                     : MacroArgument{*parameter.value, &inner});
  }
}

}  // namespace

bool Resolver::is_in_prelude(const Environment& environment) const {
  return !scope_.prelude.empty() && scope_.prelude.begin()->second.syntax == &environment.syntax();
}

const Macro* Resolver::find_macro(const std::string& name, const Environment& environment) const {
  const auto common = scope_.prelude.find(name);
  if (is_in_prelude(environment)) {
    return common == scope_.prelude.end() ? nullptr : &common->second;
  }
  if (const auto own = scope_.macros.find(name); own != scope_.macros.end()) {
    return &own->second;
  }
  const bool is_taken = scope_.aggregates.contains(name) ||
                        vocabulary_.aggregates.find(name) != nullptr ||
                        vocabulary_.functions.find(name) != nullptr;
  return is_taken || common == scope_.prelude.end() ? nullptr : &common->second;
}

Resolver::Resolved Resolver::expand(const Macro& macro, const NameSyntax& name,
                                    const std::vector<NameSyntax>& labels,
                                    const std::vector<ExpressionId>& arguments, SourceSpan span,
                                    Environment& environment) {
  const MacroStatement& definition = *macro.statement;
  if (!may_take(definition, labels.size(), arguments.size())) {
    return report(span, fmt::format("{} takes {} and {}, not {} and {}", name.text,
                                    counted_labels(definition), counted_arguments(definition),
                                    labels.size(), arguments.size()));
  }
  for (size_t position = 1; position < labels.size(); ++position) {
    const auto is_same = [&](const NameSyntax& other) {
      return other.text == labels[position].text;
    };
    const auto here = labels.begin() + static_cast<std::ptrdiff_t>(position);
    if (std::any_of(labels.begin(), here, is_same)) {
      return report(environment.shown(here->span),
                    fmt::format("label {} stands twice in {}[...]", environment.spelled(here->text),
                                name.text));
    }
  }
  if (is_inside(environment, name.text)) {
    return report(span, fmt::format("the macro {} uses itself", name.text),
                  "macros are expanded, so they cannot recur");
  }
  Environment inner(*macro.syntax, name.text, span, environment);
  add_parameters(inner, definition, labels, arguments, environment);
  MacroUse use{environment.is_of_macro() ? environment.outermost_macro() : name.text, {}};
  for (const NameSyntax& label : labels) {
    use.labels.push_back(environment.spelled(label.text));
  }
  used_.push_back(&use);
  const Resolved result = resolve_node(definition.body, inner);
  used_.pop_back();
  return result;
}

}  // namespace tessera::frontend
