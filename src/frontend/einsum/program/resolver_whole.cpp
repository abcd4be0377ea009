#include <algorithm>

#include <fmt/format.h>

#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

/// Says why a call of a function of whole arrays is wrong; empty if it is right.
std::string misuse_of(const expr::Function& function, const std::vector<NameSyntax>& labels,
                      size_t num_arguments) {
  const auto wanted = static_cast<size_t>(function.core->count);
  if (labels.size() != wanted) {
    return fmt::format("{} takes {} label{}, not {}", function.name, wanted, wanted == 1 ? "" : "s",
                       labels.size());
  }
  if (wanted == 2 && labels.front().text == labels.back().text) {
    return fmt::format("label {} stands twice in {}[...]", labels.front().text, function.name);
  }
  if (num_arguments != static_cast<size_t>(function.arity)) {
    return fmt::format("{} takes {} argument{}, not {}", function.name, function.arity,
                       function.arity == 1 ? "" : "s", num_arguments);
  }
  return "";
}

}  // namespace

/// Resolves the call; labels that the function does not keep are bound, as an aggregate binds its
/// own.
Resolver::Resolved Resolver::resolve_whole(const expr::Function& function,
                                           const ApplicationSyntax& application, SourceSpan span,
                                           Environment& environment) {
  if (application.condition) {
    return report(environment.shown(environment.syntax().at(*application.condition).span),
                  fmt::format("{} takes no condition", function.name), "write " + function.example);
  }
  const auto labels = plain_labels(application.labels, environment);
  if (!labels) {
    return std::nullopt;
  }
  const std::string misuse = misuse_of(function, *labels, application.arguments.size());
  if (!misuse.empty()) {
    return report(span, misuse, "write " + function.example);
  }
  ResolvedWhole whole{function.name, {}, {}, {}};
  const std::vector<int>& kept = function.core->result;
  std::vector<std::string> bound;
  for (size_t number = 0; number < labels->size(); ++number) {
    const NameSyntax& label = (*labels)[number];
    if (std::find(kept.begin(), kept.end(), static_cast<int>(number)) != kept.end()) {
      whole.core.push_back(use_label(label, environment));
      continue;
    }
    whole.core.push_back(bind_label(label, environment));
    whole.over.push_back(whole.core.back());
    bound.push_back(label.text);
  }
  std::optional<std::vector<int32_t>> arguments = resolve_all(application.arguments, environment);
  for (const std::string& label : bound) {
    environment.unbind(label);
  }
  if (!arguments) {
    return std::nullopt;
  }
  whole.arguments = std::move(*arguments);
  return add({std::move(whole), span});
}

}  // namespace tessera::frontend
