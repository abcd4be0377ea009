#include "frontend/einsum/expression/fold.h"

#include <algorithm>

#include "expr/function_ids.h"
#include "frontend/einsum/expression/constant_fold.h"
#include "frontend/einsum/expression/integer_fold.h"

namespace tessera::frontend {

namespace {

const ConstantFold* find_entry(const expr::Function& function) {
  const std::span<const ConstantFold> entries = constant_folds();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const ConstantFold& entry) {
    return function.name == entry.name;
  });
  return found == entries.end() ? nullptr : &*found;
}

bool is_wide(DType dtype) {
  return dtype == DType::b1 || dtype == DType::i64 || dtype == DType::u64 || dtype == DType::f64 ||
         dtype == DType::c128;
}

std::vector<DType> dtypes_of(const std::vector<Literal>& arguments, DType of_bool) {
  std::vector<DType> dtypes;
  for (const Literal& argument : arguments) {
    const DType dtype = default_dtype(argument);
    dtypes.push_back(dtype == DType::b1 ? of_bool : dtype);
  }
  return dtypes;
}

/// Returns the types of a function of numbers. A bool in place of a number is an integer, not
/// numpy's narrow i8 or f16.
expr::FunctionTypes types_of(const expr::Function& function,
                             const std::vector<Literal>& arguments) {
  const expr::FunctionTypes types = function.bind(dtypes_of(arguments, DType::b1));
  const bool all_wide = std::all_of(types.arguments.begin(), types.arguments.end(), is_wide);
  return all_wide ? types : function.bind(dtypes_of(arguments, DType::i64));
}

bool is_negative(const Literal& number) {
  const auto* whole = std::get_if<int64_t>(&number);
  return whole != nullptr && *whole < 0;
}

/// Applies Python's rule, not that of integer arrays: 10 ^ -3 is a float.
bool is_negative_power(const expr::Function& function, const std::vector<Literal>& arguments) {
  return function.name == expr::id::kPower && default_dtype(arguments[0]) != DType::f64 &&
         default_dtype(arguments[0]) != DType::c128 && is_negative(arguments[1]);
}

}  // namespace

DType default_dtype(const Literal& literal) {
  struct Chooser {
    DType operator()(bool) const { return DType::b1; }
    DType operator()(int64_t) const { return DType::i64; }
    DType operator()(uint64_t) const { return DType::u64; }
    DType operator()(double) const { return DType::f64; }
    DType operator()(std::complex<double>) const { return DType::c128; }
  };
  return std::visit(Chooser{}, literal);
}

bool can_fold(const expr::Function& function) {
  return find_entry(function) != nullptr;
}

Literal fold_call(const expr::Function& function, const std::vector<Literal>& arguments) {
  const ConstantFold* entry = find_entry(function);
  TESSERA_CHECK(entry != nullptr, "{} cannot be folded", function.name);
  if (const std::optional<Literal> exact = fold_integers(function.name, arguments)) {
    return *exact;
  }
  const expr::FunctionTypes types = types_of(function, arguments);
  if (is_negative_power(function, arguments)) {
    return fold_call(function, {literal_as<double>(arguments[0]), arguments[1]});
  }
  return entry->fold(types.arguments.back(), arguments);
}

}  // namespace tessera::frontend
