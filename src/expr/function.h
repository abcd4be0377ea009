#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/dtype.h"

namespace tessera::expr {

/// The dtypes a function is computed in: every argument is cast to `arguments[i]`, the result is
/// `result`.
struct FunctionTypes {
  std::vector<DType> arguments;
  DType result = DType::f32;
};

/// What one element takes when a function runs over a block (kernels/block_function.h), as cost
/// models count it. Measured on all of them in f32, AVX2, Zen, 2026-11: an instruction to 0.14 ns
/// (clip 0.24), a series 0.2 to 2 ns, one by one 3 to 6 ns.
enum class FunctionCost : uint8_t {
  instruction,  // a few vector instructions
  series,       // a polynomial, in vectors: exp, sin, erf
  one_by_one,   // no vector code: the C++ library's function for every element
};

/// What a function is listed under, in this order.
enum class FunctionGroup : uint8_t {
  arithmetic,
  powers,
  exponentials,
  trigonometry,
  rounding,
  comparisons,
  logic,
  bits,
  draws,
  complex,
  matrices,
  special,
  unwritten,  // what other constructs of the language are made of
};

/// The heading of a group: "powers and roots".
std::string_view title_of(FunctionGroup group);

/// Every group of what programs write, in order.
std::vector<FunctionGroup> all_function_groups();

/// What a function of whole arrays takes of them: `solve[i,j](a, b)` has the core labels i and j.
/// (numpy calls them the core dimensions of a generalised function.)
struct CoreLabels {
  int count = 1;
  std::vector<std::vector<int>> arguments;  // of each argument, which of them it has, in order
  std::vector<int> result;                  // which of them the result has
  bool is_square = false;                   // all of one extent
};

/// A scalar function by name: `exp`, `add`, `where`, ... One file each in expr/functions/.
///
/// The operators of the languages are functions too: + is `add`, - `subtract` and `negative`.
struct Function {
  std::string name;
  int arity = 1;
  std::string summary;  // one line for the reference page
  FunctionGroup group = FunctionGroup::special;
  std::string numpy;           // numpy's name for it, or another library's: scipy.special.erf
  std::string sign = {};       // of the operator of the language that it is: + for `add`
  std::string arguments = {};  // their names, "y, x"; empty for the usual x, y
  std::string example = {};    // a statement; empty where a plain call will do
  std::string fault = {};      // what ends the run with an error; empty where nothing does
  /// numpy's type rule; throws a user Error that names the function and the dtypes where there is
  /// none.
  FunctionTypes (*bind)(const std::vector<DType>& arguments) = nullptr;
  bool associative = false;  // may be folded over n operands (as a join of more than two)
  FunctionCost cost = FunctionCost::series;
  /// The aggregates ⊕ that it distributes over, as ⊗: a⊗(b⊕c) = (a⊗b)⊕(a⊗c), in exact arithmetic,
  /// for every value of the dtypes that the pair is defined on, in either argument. Only such pairs
  /// may be split or reordered by a contraction path. NaN propagates through both sides alike.
  ///
  /// Not among them, with the reason:
  /// - multiply over min, max: a negative factor turns the order; -1*max(1,2) is -2, max(-1,-2) -1
  /// - multiply over prod: a*(b*c) is not (a*b)*(a*c)
  /// - divide over sum: it holds on the left only, (a+b)/c, and a path must be free to move either
  /// - add over sum: a+(b+c) is not (a+b)+(a+c)
  /// - add over logsumexp: true, but its state is a pair, and this is about plain states
  /// - logical_and over all, logical_or over any: true of two, but an empty reduction gives the
  ///   identity, and and(a, true) is a, not true
  std::vector<std::string> distributes_over = {};
  /// The aggregates ⊕ whose identity e annihilates every other argument: e⊗x = x⊗e = e. Only under
  /// such a pair may a join leave out a tuple that meets an absent one, which stands for e
  /// (ir/tra/absence.h). What is left out is not looked at: 0*inf and 0*NaN are NaN, and -inf + inf
  /// too, where a relation without the tuple gives e; and e is any zero, as 0*-1 is -0.
  ///
  /// Not among them, with the reason:
  /// - multiply under prod: e is 1
  /// - multiply under max, min: e is -inf or inf, and turns its sign with a negative factor
  /// - add under max, min of integers: the lowest number plus one is another, or wraps
  /// - divide under sum: 0/x is 0, x/0 is not
  /// - minimum under sum: true of unsigned numbers only
  std::vector<std::string> annihilates = {};
  std::vector<std::string> annihilates_floats = {};  // those where e is infinite, as of no integers
  /// Of a function of whole arrays; it is called by a statement of its own (Whole of
  /// tile_program.h), never element by element.
  std::optional<CoreLabels> core = std::nullopt;
};

/// The functions a session knows. Threads: filled once, then read by any number.
class FunctionRegistry {
 public:
  void add(Function function);
  const Function* find(const std::string& name) const;  // null if there is none
  /// The same of a function of numbers: null of one of whole arrays.
  const Function* find_scalar(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted

  /// Whether ⊗ distributes over ⊕ (Function::distributes_over); false for what is not registered.
  bool distributes_over(const std::string& function, const std::string& aggregate) const;

  /// Whether the identity of ⊕ annihilates every argument of ⊗ in this dtype
  /// (Function::annihilates); false for what is not registered.
  bool annihilates(const std::string& function, const std::string& aggregate, DType dtype) const;

 private:
  std::map<std::string, Function> functions_;
};

/// Adds every function of expr/functions/ and of expr/array_functions/ (the lists are generated
/// from the folders).
void register_all_functions(FunctionRegistry& registry);

}  // namespace tessera::expr
