#pragma once

#include <map>
#include <string>
#include <vector>

#include "types/dtype.h"

namespace tessera::expr {

/// The dtypes a function is computed in: every argument is cast to `arguments[i]`, the result is
/// `result`.
struct FunctionTypes {
  std::vector<DType> arguments;
  DType result = DType::f32;
};

/// A scalar function by name: `exp`, `add`, `where`, ... One file each in expr/functions/.
///
/// The operators of the languages are functions too: + is `add`, - `subtract` and `negative`, *
/// `multiply`, / `divide`, ^ `power`, == `equal`, != `not_equal`, < `less`, <= `less_equal`, >
/// `greater`, >= `greater_equal`.
struct Function {
  std::string name;
  int arity = 1;
  std::string summary;  // one line for the reference page
  /// numpy's type rule; throws a user Error that names the function and the dtypes where there is
  /// none.
  FunctionTypes (*bind)(const std::vector<DType>& arguments) = nullptr;
  bool associative = false;  // may be folded over n operands (as a join of more than two)
};

/// The functions a session knows. Threads: filled once, then read by any number.
class FunctionRegistry {
 public:
  void add(Function function);
  const Function* find(const std::string& name) const;  // null if there is none
  std::vector<std::string> names() const;               // sorted

 private:
  std::map<std::string, Function> functions_;
};

/// Adds every function of expr/functions/ (the list is generated from the folder).
void register_all_functions(FunctionRegistry& registry);

/// ⊗ distributes over ⊕: a⊗(b⊕c) = (a⊗b)⊕(a⊗c). Only such pairs may be split or reordered by a
/// contraction path.
bool distributes_over(const std::string& function, const std::string& monoid);

}  // namespace tessera::expr
