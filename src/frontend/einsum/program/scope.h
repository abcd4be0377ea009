#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/resolved.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Returns the keys of a map, for messages that suggest a name.
template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) {
    names.push_back(name);
  }
  return names;
}

/// A tensor that a statement has defined. If the statement failed, uses of the tensor are not
/// reported again.
struct Tensor {
  einsum::VertexId vertex;
  ArrayType type;
  SourceSpan span;
  bool has_failed = false;
  std::vector<bool> is_left_out = {};  // by mode: the header names it 1; empty if none is

  bool leaves_out(size_t mode) const { return !is_left_out.empty() && is_left_out[mode]; }
};

/// A macro and the text it stands in.
struct Macro {
  const ProgramSyntax* syntax = nullptr;
  const MacroStatement* statement = nullptr;
};

/// An aggregate of the user's with a state of n numbers: its combine over Parameters 0..n-1 (the
/// left state) and n..2n-1 (the right state), its identity, and its result over 0..n-1.
struct UserAggregate {
  std::vector<ResolvedExpression> combine;
  std::vector<Literal> identity;
  std::optional<ResolvedExpression> result;  // without one, the first entry
  std::string order_matters = {};            // numbers that do not commute; empty if all do
  bool is_of_prelude = false;                // a program's own aggregate of that name wins
  /// A law that does not hold for all numbers: it must then hold for the states of every use.
  std::string broken_law = {};
  SourceSpan span = {};  // of combine
  bool is_used = false;
};

/// An extent that the program gives to a label: `label i = 10`, or the header of an input.
struct LabelSize {
  int64_t extent = 0;
  SourceSpan span;
  bool is_declared = false;  // by `label`: holds in every statement
};

/// The meaning of a program's names at one of its statements.
struct ProgramScope {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Literal> parameters;
  std::map<std::string, Macro> macros;  // the user's
  std::map<std::string, Macro> prelude;
  std::map<std::string, UserAggregate> aggregates;
  std::map<std::string, LabelSize> label_sizes;
  // of every tensor of the program, also later ones
  std::map<std::string, SourceSpan> definitions;
};

}  // namespace tessera::frontend
