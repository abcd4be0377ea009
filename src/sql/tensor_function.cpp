#include "sql/tensor_function.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::sql {

namespace {

/// The shape that all arguments are repeated to: modes are matched from the last one on.
Shape common_shape(const std::vector<Term>& arguments, const std::string& shown_name) {
  Shape shape;
  for (const Term& argument : arguments) {
    const Shape& other = argument.type.shape;
    const Shape& longer = other.size() > shape.size() ? other : shape;
    const Shape& shorter = other.size() > shape.size() ? shape : other;
    TESSERA_USER_CHECK(std::equal(shorter.rbegin(), shorter.rend(), longer.rbegin()),
                       "{} of {} and {}: their extents differ", shown_name, shape_text(shape),
                       shape_text(other));
    shape = Shape(longer);
  }
  return shape;
}

/// The dtypes of the arguments, a weak one that of what it meets.
std::vector<DType> dtypes_of(const std::vector<Term>& arguments) {
  std::optional<DType> strong;
  bool has_weak_float = false;
  bool has_weak_integer = false;
  bool has_integer_column = false;
  for (const Term& argument : arguments) {
    if (!argument.is_weak) {
      strong = strong ? promote(*strong, argument.type.dtype) : argument.type.dtype;
    } else {
      has_weak_float = has_weak_float || is_float(argument.type.dtype);
      has_weak_integer = has_weak_integer || is_integer(argument.type.dtype);
      has_integer_column =
          has_integer_column || (is_integer(argument.type.dtype) && !argument.literal);
    }
  }
  if (strong == DType::b1 && has_weak_integer) {
    strong = DType::i64;
  }
  if (strong && has_integer_column && is_integer(*strong)) {
    strong = promote(*strong, DType::i64);  // which no smaller one holds
  }
  if (strong && has_weak_float && !is_float(*strong) && !is_complex(*strong)) {
    strong = DType::f64;
  }
  std::vector<DType> dtypes;
  for (const Term& argument : arguments) {
    dtypes.push_back(argument.is_weak && strong ? *strong : argument.type.dtype);
  }
  return dtypes;
}

/// True if results of a function may be larger than its arguments, so that narrow ones would wrap.
bool may_outgrow(const std::string& function) {
  static const std::set<std::string> names{"add",      "subtract",   "multiply",
                                           "negative", "power",      "square",
                                           "abs",      "left_shift", "floor_divide"};
  return names.count(function) != 0;
}

bool is_narrow(DType dtype) {
  return is_integer(dtype) && size_of(dtype) < size_of(DType::i64);
}

Expressions last_of(const Expressions& indices, size_t count) {
  return {indices.end() - static_cast<std::ptrdiff_t>(count), indices.end()};
}

}  // namespace

void TensorFunctionRegistry::add(TensorFunction function) {
  functions_.insert_or_assign(function.name, function);
}

void TensorFunctionRegistry::add_alias(const std::string& name, const std::string& alias) {
  TensorFunction function = functions_.at(name);
  function.name = alias;
  function.summary = "the same as " + name;
  functions_.insert_or_assign(alias, std::move(function));
}

const TensorFunction* TensorFunctionRegistry::find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<const TensorFunction*> TensorFunctionRegistry::all() const {
  std::vector<const TensorFunction*> all;
  for (const auto& [name, function] : functions_) {
    all.push_back(&function);
  }
  return all;
}

std::string shape_text(const Shape& shape) {
  if (shape.empty()) {
    return "a scalar";
  }
  std::string text = shape.size() == 1 ? "vector" : shape.size() == 2 ? "matrix" : "tensor";
  for (const int64_t extent : shape) {
    text += fmt::format("[{}]", extent);
  }
  return text;
}

void require_modes(const TensorCall& call, size_t argument, size_t num_modes) {
  const Shape& shape = call.arguments[argument].type.shape;
  const char* const wanted = num_modes == 0 ? "a scalar" : num_modes == 1 ? "a vector" : "a matrix";
  TESSERA_USER_CHECK(shape.size() == num_modes, "{} takes {} there, not {}", call.name, wanted,
                     shape_text(shape));
}

program::Expression at_distinct(
    const Expressions& indices, const std::vector<size_t>& positions, const Labels& spares,
    const std::function<program::Expression(const Labels&)>& expression) {
  Labels own = labels_of(indices);
  Labels summed;
  Expressions tests;
  for (size_t number = 0; number < positions.size(); ++number) {
    Label& label = own[positions[number]];
    if (std::count(own.begin(), own.end(), label) > 1) {
      tests.push_back(program::call("equal", {spares[number], label}));
      label = spares[number];
      summed.push_back(label);
    }
  }
  program::Expression chosen = expression(own);
  for (const program::Expression& test : tests) {
    chosen = program::call("where", {test, chosen, program::number(int64_t{0})});
  }
  return tests.empty() ? chosen : program::apply("sum", summed, {chosen});
}

Term converted(const Term& term, DType dtype) {
  if (term.type.dtype == dtype) {
    return term;
  }
  Term other = plain_term({dtype, term.type.shape}, [term, dtype](const Expressions& indices) {
    return program::converted(dtype, term.at(indices));
  });
  other.takes_indices = term.takes_indices;
  return other;
}

Term summable(const Term& term) {
  const DType dtype = term.type.dtype;
  return is_bool(dtype) || is_narrow(dtype) ? converted(term, DType::i64) : term;
}

Term in_floats(const Term& term) {
  const DType dtype = term.type.dtype;
  return is_float(dtype) || is_complex(dtype) ? term : converted(term, DType::f64);
}

DType common_dtype(const std::vector<Term>& terms) {
  const std::vector<DType> dtypes = dtypes_of(terms);
  return std::accumulate(dtypes.begin(), dtypes.end(), dtypes.front(), promote);
}

Term elementwise(const std::string& function, const std::vector<Term>& arguments,
                 const expr::FunctionRegistry& functions, const std::string& shown_name) {
  const expr::Function& known = *functions.find(function);
  TESSERA_USER_CHECK(static_cast<size_t>(known.arity) == arguments.size(),
                     "{} takes {} arguments, not {}", shown_name, known.arity, arguments.size());
  const Shape shape = common_shape(arguments, shown_name);
  std::vector<DType> dtypes = dtypes_of(arguments);
  const bool is_widened = may_outgrow(function) && is_narrow(known.bind(dtypes).result);
  if (is_widened) {
    dtypes.assign(dtypes.size(), DType::i64);
  }
  const DType result = known.bind(dtypes).result;
  Term term = plain_term({result, shape}, [=](const Expressions& indices) {
    Expressions values;
    for (size_t number = 0; number < arguments.size(); ++number) {
      const Term& argument = arguments[number];
      const program::Expression value = argument.at(last_of(indices, argument.type.shape.size()));
      const bool is_converted = (argument.is_weak || is_widened) && !argument.literal &&
                                dtypes[number] != argument.type.dtype;
      values.push_back(is_converted ? program::converted(dtypes[number], value) : value);
    }
    return program::call(known.name, std::move(values));
  });
  term.is_weak = std::all_of(arguments.begin(), arguments.end(),
                             [](const Term& argument) { return argument.is_weak; });
  term.takes_indices = std::all_of(arguments.begin(), arguments.end(), [](const Term& argument) {
    return argument.takes_indices || argument.type.shape.empty();
  });
  return term;
}

}  // namespace tessera::sql
