#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/einsum/program/resolved.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

class Environment;

/// An argument of a macro: an expression, with the meaning of its names.
struct MacroArgument {
  ExpressionId expression;
  Environment* environment = nullptr;
};

/// The meaning of names inside one expression or one use of a macro.
///
/// A macro's label parameter is another spelling of the caller's label, so an aggregate over it
/// binds the labels of the arguments too; every other label of a macro is its own and captures
/// nothing.
class Environment {
 public:
  explicit Environment(const ProgramSyntax& syntax) : syntax_(syntax) {}
  Environment(const ProgramSyntax& syntax, std::string macro, SourceSpan call, Environment& caller)
      : syntax_(syntax), macro_(std::move(macro)), call_(call), caller_(&caller) {}

  const ProgramSyntax& syntax() const { return syntax_; }
  bool is_of_macro() const { return caller_ != nullptr; }
  const std::string& macro() const { return macro_; }
  Environment* caller() const { return caller_; }
  /// Returns the macro that the user wrote, if this is inside of one; else empty.
  std::string outermost_macro() const;

  /// Returns the place to show for a finding about a node: nodes of a macro are shown at its use.
  SourceSpan shown(SourceSpan span) const { return call_ ? *call_ : span; }

  /// Makes a label parameter another spelling of these labels of the caller.
  void add_labels(const std::string& parameter, const std::vector<std::string>& callers_names);
  void add_argument(const std::string& name, MacroArgument argument);
  void add_parameter(const std::string& name, int32_t position);
  const MacroArgument* find_argument(const std::string& name) const;
  std::optional<int32_t> find_parameter(const std::string& name) const;
  std::vector<std::string> value_names() const;

  void bind(const std::string& label, LabelIndex index);
  void unbind(const std::string& label);
  std::optional<LabelIndex> find_label(const std::string& label) const;

  /// Returns the labels that a name stands for: all of them for a label parameter that was given
  /// several, under names that only this environment knows.
  std::vector<NameSyntax> labels_of(const NameSyntax& name) const;

  /// Returns the label as the user spells it.
  const std::string& spelled(const std::string& label) const;
  bool is_users(const std::string& label) const;

 private:
  const ProgramSyntax& syntax_;
  std::string macro_;
  std::optional<SourceSpan> call_;
  Environment* caller_ = nullptr;
  std::map<std::string, std::string> callers_labels_;
  std::map<std::string, std::vector<std::string>> parts_;  // of label parameters of several labels
  std::map<std::string, std::vector<LabelIndex>> bound_;   // innermost last
  std::map<std::string, MacroArgument> arguments_;
  std::map<std::string, int32_t> parameters_;
};

}  // namespace tessera::frontend
