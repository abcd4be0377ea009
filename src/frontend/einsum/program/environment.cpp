#include "frontend/einsum/program/environment.h"

#include <fmt/format.h>

namespace tessera::frontend {

void Environment::add_labels(const std::string& parameter,
                             const std::vector<std::string>& callers_names) {
  if (callers_names.size() == 1) {
    callers_labels_[parameter] = callers_names.front();
    return;
  }
  for (const std::string& callers_name : callers_names) {
    std::vector<std::string>& parts = parts_[parameter];
    parts.push_back(fmt::format("{}#{}", parameter, parts.size()));  // no name of a program has #
    callers_labels_[parts.back()] = callers_name;
  }
}

std::vector<NameSyntax> Environment::labels_of(const NameSyntax& name) const {
  const auto parts = parts_.find(name.text);
  if (parts == parts_.end()) {
    return {name};
  }
  std::vector<NameSyntax> labels;
  for (const std::string& part : parts->second) {
    labels.push_back({part, name.span});
  }
  return labels;
}

void Environment::add_argument(const std::string& name, MacroArgument argument) {
  arguments_[name] = argument;
}

void Environment::add_parameter(const std::string& name, int32_t position) {
  parameters_[name] = position;
}

const MacroArgument* Environment::find_argument(const std::string& name) const {
  const auto found = arguments_.find(name);
  return found == arguments_.end() ? nullptr : &found->second;
}

std::optional<int32_t> Environment::find_parameter(const std::string& name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Environment::value_names() const {
  std::vector<std::string> names;
  for (const auto& [name, argument] : arguments_) {
    names.push_back(name);
  }
  for (const auto& [name, position] : parameters_) {
    names.push_back(name);
  }
  return names;
}

std::string Environment::outermost_macro() const {
  const Environment* at = this;
  while (at->caller_ != nullptr && at->caller_->caller_ != nullptr) {
    at = at->caller_;
  }
  return at->macro_;
}

void Environment::bind(const std::string& label, LabelIndex index) {
  const auto callers = callers_labels_.find(label);
  if (callers != callers_labels_.end()) {
    caller_->bind(callers->second, index);
  } else {
    bound_[label].push_back(index);
  }
}

void Environment::unbind(const std::string& label) {
  const auto callers = callers_labels_.find(label);
  if (callers != callers_labels_.end()) {
    caller_->unbind(callers->second);
  } else {
    bound_[label].pop_back();
  }
}

std::optional<LabelIndex> Environment::find_label(const std::string& label) const {
  const auto callers = callers_labels_.find(label);
  if (callers != callers_labels_.end()) {
    return caller_->find_label(callers->second);
  }
  const auto found = bound_.find(label);
  return found == bound_.end() || found->second.empty() ? std::nullopt
                                                        : std::optional(found->second.back());
}

const std::string& Environment::spelled(const std::string& label) const {
  const auto callers = callers_labels_.find(label);
  return callers == callers_labels_.end() ? label : caller_->spelled(callers->second);
}

bool Environment::is_users(const std::string& label) const {
  const auto callers = callers_labels_.find(label);
  return callers == callers_labels_.end() ? !is_of_macro() : caller_->is_users(callers->second);
}

}  // namespace tessera::frontend
