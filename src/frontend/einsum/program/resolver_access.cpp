#include <algorithm>
#include <numbers>

#include "base/suggest.h"
#include "frontend/einsum/program/iteration_help.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

std::optional<Literal> find_constant(const std::string& name) {
  if (name == "pi") {
    return std::numbers::pi;
  }
  if (name == "inf") {
    return std::numeric_limits<double>::infinity();
  }
  if (name == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

namespace {

std::optional<NameSyntax> label_of(const IndexSyntax& index, const ProgramSyntax& syntax) {
  if (index.is_slice || index.pad || index.label || index.num_groups) {
    return std::nullopt;
  }
  const auto* access = std::get_if<AccessSyntax>(&syntax.at(*index.value).of);
  return access == nullptr || access->has_brackets ? std::nullopt : std::optional(access->name);
}

/// Returns "A[i,_]": indices that are no labels are shown as `_`.
std::string text_of(const AccessSyntax& access, const Environment& environment) {
  std::string text = access.name.text + "[";
  for (const IndexSyntax& index : access.indices) {
    const std::optional<NameSyntax> label = label_of(index, environment.syntax());
    const std::vector<NameSyntax> parts =
        label ? environment.labels_of(*label) : std::vector<NameSyntax>{{"_", index.span}};
    for (const NameSyntax& part : parts) {
      text += (text.back() == '[' ? "" : ",") + environment.spelled(part.text);
    }
  }
  return text + "]";
}

std::string counted(size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::optional<std::vector<NameSyntax>> Resolver::plain_labels(
    const std::vector<IndexSyntax>& indices, Environment& environment) {
  std::vector<NameSyntax> labels;
  bool all = true;
  for (const IndexSyntax& index : indices) {
    if (std::optional<NameSyntax> label = label_of(index, environment.syntax())) {
      for (NameSyntax& part : environment.labels_of(*label)) {
        labels.push_back(std::move(part));
      }
    } else {
      report(environment.shown(index.span), "labels alone stand here",
             "an index may be computed where a tensor is read: X[i+k]");
      all = false;
    }
  }
  return all ? std::optional(std::move(labels)) : std::nullopt;
}

Resolver::Resolved Resolver::resolve_access(const AccessSyntax& access, SourceSpan span,
                                            Environment& environment) {
  const std::string& name = access.name.text;
  if (!access.indices.empty() && !is_in_prelude(environment)) {
    const auto tensor = scope_.tensors.find(name);
    if (tensor != scope_.tensors.end() && environment.find_argument(name) == nullptr) {
      return resolve_read(access, tensor->second, span, environment);
    }
  }
  return resolve_value(access, span, environment);
}

Resolver::Resolved Resolver::resolve_value(const AccessSyntax& access, SourceSpan span,
                                           Environment& environment) {
  const std::string& name = access.name.text;
  if (access.indices.empty()) {
    if (const MacroArgument* argument = environment.find_argument(name)) {
      return resolve_node(argument->expression, *argument->environment);
    }
    if (const std::optional<int32_t> position = environment.find_parameter(name)) {
      return add({ResolvedParameter{*position}, span});
    }
    if (index_depth_ > 0) {
      if (const std::optional<NameSyntax> label = bound_label(access.name, environment)) {
        return add({ResolvedIndex{use_label(*label, environment)}, span});
      }
    }
    const bool is_program = !is_in_prelude(environment);
    const auto tensor = scope_.tensors.find(name);
    if (is_program && tensor != scope_.tensors.end()) {
      return resolve_read(access, tensor->second, span, environment);
    }
    const auto parameter = scope_.parameters.find(name);
    if (is_program && parameter != scope_.parameters.end()) {
      return add({parameter->second, span});
    }
    const std::optional<Literal> constant = find_constant(name);
    if (constant && !(is_program && scope_.definitions.contains(name))) {
      return add({*constant, span});
    }
  }
  report_unknown_value(access, span, environment);
  return std::nullopt;
}

void Resolver::report_unknown_value(const AccessSyntax& access, SourceSpan span,
                                    Environment& environment) {
  const std::string& name = access.name.text;
  const SourceSpan place = environment.shown(access.name.span);
  const auto later = scope_.definitions.find(name);
  if (later != scope_.definitions.end() && name == defined_) {
    const bool is_elsewhere =
        std::any_of(access.indices.begin(), access.indices.end(), [&](const IndexSyntax& index) {
          return index.is_slice || !label_of(index, environment.syntax());
        });
    report(place, fmt::format("{} is read by the statement that defines it", name),
           is_elsewhere ? std::string(kRecurrenceHelp)
                        : fmt::format("give the new value a name of its own; {}", kStepsHelp));
  } else if (later != scope_.definitions.end()) {
    report(place, fmt::format("{} is read before it is defined", name), "move its definition up",
           {later->second});
  } else if (!access.indices.empty() &&
             (environment.find_argument(name) != nullptr || environment.find_parameter(name) ||
              scope_.parameters.contains(name))) {
    report(span, fmt::format("{} is a number here and has no labels", name),
           fmt::format("write {}", name));
  } else if (access.has_brackets &&
             (is_aggregate(name) || find_macro(name, environment) != nullptr)) {
    report(span, fmt::format("{} has nothing to work on", name),
           fmt::format("write {0}[...] x, or {0}[...](-x)", name));
  } else if (environment.find_label(name)) {
    report(place, fmt::format("{} is a label", name),
           fmt::format("index({0}) is the position along it, size({0}) its extent", name));
  } else {
    std::vector<std::string> known = environment.value_names();
    for (const auto& [tensor, unused] : scope_.tensors) {
      known.push_back(tensor);
    }
    for (const auto& [parameter, unused] : scope_.parameters) {
      known.push_back(parameter);
    }
    const std::string guess = did_you_mean(name, known);
    const char* what = access.indices.empty() ? "tensor or parameter" : "tensor";
    report(place, fmt::format("there is no {} {}", what, name),
           !guess.empty()           ? guess
           : access.indices.empty() ? fmt::format("declare it: param {} = 1.0", name)
                                    : fmt::format("declare it: input {}", name + "[...]"));
  }
}

std::optional<NameSyntax> Resolver::bound_label(const NameSyntax& name,
                                                const Environment& environment) {
  const std::vector<NameSyntax> parts = environment.labels_of(name);
  return parts.size() == 1 && environment.find_label(parts[0].text) ? std::optional(parts[0])
                                                                    : std::nullopt;
}

std::vector<Resolver::IndexOfMode> Resolver::indices_of(const AccessSyntax& access,
                                                        const Environment& environment) {
  std::vector<IndexOfMode> indices;
  for (const IndexSyntax& index : access.indices) {
    const std::optional<NameSyntax> label = label_of(index, environment.syntax());
    const bool is_label = label && environment.find_argument(label->text) == nullptr;
    const std::vector<NameSyntax> parts =
        is_label ? environment.labels_of(*label) : std::vector<NameSyntax>();
    if (parts.size() <= 1) {
      indices.push_back({&index, std::nullopt});
      continue;
    }
    for (const NameSyntax& part : parts) {
      indices.push_back({&index, part});
    }
  }
  return indices;
}

std::vector<size_t> Resolver::modes_read(const Tensor& tensor) {
  std::vector<size_t> modes;
  for (size_t mode = 0; mode < tensor.type.shape.size(); ++mode) {
    if (!tensor.leaves_out(mode)) {
      modes.push_back(mode);
    }
  }
  return modes;
}

Resolver::Resolved Resolver::resolve_read(const AccessSyntax& access, const Tensor& tensor,
                                          SourceSpan span, Environment& environment) {
  const Shape& shape = tensor.type.shape;
  const std::vector<size_t> modes = modes_read(tensor);
  const std::vector<IndexOfMode> indices = indices_of(access, environment);
  if (modes.size() < shape.size() && indices.size() == shape.size()) {
    return report(
        span, fmt::format("reads of {} leave out what its header names 1", access.name.text),
        fmt::format("write {} after {}", counted(modes.size(), "label"), access.name.text),
        {tensor.span});
  }
  const bool fits = tensor.has_failed || indices.size() == modes.size();
  std::vector<std::optional<ModeIndex>> resolved;
  for (size_t place = 0; place < indices.size(); ++place) {
    const IndexOfMode& index = indices[place];
    const size_t mode = fits && place < modes.size() ? modes[place] : shape.size();
    resolved.push_back(index.part ? ModeIndex(use_label(*index.part, environment))
                                  : resolve_index(*index.written, tensor, mode, environment));
  }
  if (tensor.has_failed) {
    result_.reads_failed_tensor = true;
    return std::nullopt;
  }
  if (!fits) {
    return report(span,
                  fmt::format("{} has {} but is written with {}", access.name.text,
                              counted(modes.size(), "mode"), counted(indices.size(), "label")),
                  fmt::format("{} is {}", access.name.text, to_string(tensor.type)), {tensor.span});
  }
  // Modes that are left out have one position.
  ResolvedRead read{access.name.text, tensor.vertex, tensor.type,
                    std::vector<ModeIndex>(shape.size(), ComputedIndex{})};
  for (size_t place = 0; place < modes.size(); ++place) {
    if (!resolved[place]) {
      return std::nullopt;
    }
    if (const auto* label = std::get_if<LabelIndex>(&*resolved[place])) {
      give_extent(*label, shape[modes[place]], environment.shown(indices[place].written->span),
                  text_of(access, environment));
    }
    read.index[modes[place]] = std::move(*resolved[place]);
  }
  return add({std::move(read), span});
}

}  // namespace tessera::frontend
