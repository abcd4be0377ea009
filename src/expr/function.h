#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/dtype.h"

namespace tessera::expr {

/// The dtypes that a function is computed in: every argument is cast to `arguments[i]`, the result
/// is `result`.
struct FunctionTypes {
  std::vector<DType> arguments;
  DType result = DType::f32;
};

/// The cost of one element when a function runs over a block (kernels/block_function.h), in the
/// classes of cost models. Measured on all of them in f32, AVX2, Zen, 2026-11: an instruction to
/// 0.14 ns (clip 0.24), a series 0.2 to 2 ns, one by one 3 to 6 ns.
enum class FunctionCost : uint8_t {
  instruction,  // a few vector instructions
  series,       // a polynomial, in vectors: exp, sin, erf
  one_by_one,   // no vector code: the C++ library's function for every element
};

/// The group that a function is listed under, in this order.
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
  unwritten,  // used by other constructs of the language
};

/// Returns the heading of a group: "powers and roots".
std::string_view title_of(FunctionGroup group);

/// Returns every group of functions that programs write, in order.
std::vector<FunctionGroup> all_function_groups();

/// The core labels of a function of whole arrays: `solve[i,j](a, b)` has i and j. (numpy calls them
/// the core dimensions of a generalised function.)
struct CoreLabels {
  int count = 1;
  std::vector<std::vector<int>> arguments;  // those of each argument, in order
  std::vector<int> result;                  // those of the result
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
  std::string sign = {};       // of its operator in the language: + for `add`
  std::string arguments = {};  // their names, "y, x"; empty for the usual x, y
  std::string example = {};    // a statement; empty if a plain call will do
  std::string fault = {};      // the cause of an error at run time; empty if none
  /// Returns the types by numpy's rule; throws a user Error that names the function and the dtypes
  /// if there are none.
  FunctionTypes (*bind)(const std::vector<DType>& arguments) = nullptr;
  bool associative = false;  // may be folded over n operands (as a join of more than two)
  FunctionCost cost = FunctionCost::series;
  /// The aggregates ⊕ that it distributes over, as ⊗: a⊗(b⊕c) = (a⊗b)⊕(a⊗c), in exact arithmetic,
  /// for every value of the dtypes that the pair is defined on, in either argument. Only such pairs
  /// may be split or reordered by a contraction path. NaN propagates alike through both sides.
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
  /// The aggregates ⊕ whose identity e annihilates every other argument: e⊗x = x⊗e = e. Only with
  /// such a pair may a join leave out a tuple that meets an absent one, which stands for e
  /// (ir/tra/absence.h). The values of a left-out tuple do not count: 0*inf and 0*NaN are NaN, and
  /// so is -inf + inf, while a relation without the tuple gives e; and e is any zero, since 0*-1 is
  /// -0.
  ///
  /// Not among them, with the reason:
  /// - multiply under prod: e is 1
  /// - multiply under max, min: e is -inf or inf, and turns its sign with a negative factor
  /// - add under max, min of integers: the lowest number plus one is another, or wraps
  /// - divide under sum: 0/x is 0, x/0 is not
  /// - minimum under sum: true of unsigned numbers only
  std::vector<std::string> annihilates = {};
  std::vector<std::string> annihilates_floats = {};  // with an infinite e, which integers lack
  /// For a function of whole arrays; a statement of its own calls it (Whole of tile_program.h),
  /// never an expression element by element.
  std::optional<CoreLabels> core = std::nullopt;
};

/// The functions that a session knows. Threads: filled once, then read by any number.
class FunctionRegistry {
 public:
  void add(Function function);
  const Function* find(const std::string& name) const;  // null if there is none
  /// Finds a function of numbers: null for one of whole arrays.
  const Function* find_scalar(const std::string& name) const;
  std::vector<std::string> names() const;  // sorted

  /// True if ⊗ distributes over ⊕ (Function::distributes_over); false for unregistered names.
  bool distributes_over(const std::string& function, const std::string& aggregate) const;

  /// True if the identity of ⊕ annihilates every argument of ⊗ in this dtype
  /// (Function::annihilates); false for unregistered names.
  bool annihilates(const std::string& function, const std::string& aggregate, DType dtype) const;

 private:
  std::map<std::string, Function> functions_;
};

/// Adds every function of expr/functions/ and of expr/array_functions/ (the lists are generated
/// from the folders).
void register_all_functions(FunctionRegistry& registry);

}  // namespace tessera::expr
