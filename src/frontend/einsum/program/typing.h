#pragma once

#include <functional>
#include <map>
#include <vector>

#include "base/error.h"
#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/number_warnings.h"
#include "frontend/einsum/program/resolved.h"

namespace tessera::frontend {

/// The values of guards, each made once: guards hold guards.
using GuardValues = std::map<int32_t, Value>;

/// A typer of resolved expressions: it gives numbers, calls and casts their dtypes, and everything
/// else by `leaf`.
///
/// Throws a user Error if a function has no meaning for its dtypes; `at` then holds the place.
/// Adds numbers that a dtype loses to `warnings`.
class Typing {
 public:
  using Leaf = std::function<Value(const ResolvedNode&)>;

  Typing(const std::vector<ResolvedNode>& nodes, ExpressionBuilder& builder, GuardValues& guards,
         Leaf leaf, SourceSpan& at, NumberWarnings* warnings = nullptr)
      : nodes_(nodes),
        builder_(builder),
        guards_(guards),
        leaf_(std::move(leaf)),
        at_(at),
        warnings_(warnings) {}

  Value value_of(int32_t node);
  Value guard_value(int32_t guard);

 private:
  Value value_of(const ResolvedNode& node, const ResolvedCall& call);
  Value value_of(const ResolvedNode& node, const ResolvedCast& cast);
  std::optional<NumberPlace> number_place(const ResolvedCall& call,
                                          const std::vector<Value>& arguments) const;
  void warn_of_lost_numbers(const ResolvedNode& node, const std::optional<NumberPlace>& place);

  const std::vector<ResolvedNode>& nodes_;
  ExpressionBuilder& builder_;
  GuardValues& guards_;
  Leaf leaf_;
  SourceSpan& at_;
  NumberWarnings* warnings_;  // null: nobody is warned
};

/// Returns the result of `make`; an error in it names the macro that holds the node.
template <class Make>
auto naming_macro(const ResolvedNode& node, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    if (node.macro.empty() || error.kind() == ErrorKind::internal) {
      throw;
    }
    throw Error(error.kind(), fmt::format("in the macro {}: {}", node.macro, error.message()));
  }
}

/// Fails: the leaf of an expression that has none.
Value no_leaf(const ResolvedNode& node);

}  // namespace tessera::frontend
