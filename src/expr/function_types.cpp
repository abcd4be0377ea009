#include "expr/function_types.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::expr {

namespace {

std::string join_names(const std::vector<DType>& dtypes) {
  std::string text;
  for (const DType dtype : dtypes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(dtype));
  }
  return text;
}

[[noreturn]] void refuse(std::string_view function, const std::vector<DType>& arguments,
                         std::string_view help) {
  throw_error(ErrorKind::user, "{} is not defined for {}: {}", function, join_names(arguments),
              help);
}

DType promote_all(const std::vector<DType>& arguments) {
  DType common = arguments.front();
  for (const DType argument : arguments) {
    common = promote(common, argument);
  }
  return common;
}

/// Returns the float that holds every argument: numpy takes the first of its f16, f32, f64 loops
/// that each fits by itself.
DType float_of_all(const std::vector<DType>& arguments) {
  DType common = DType::b1;
  for (const DType argument : arguments) {
    // An 8-bit integer fits any float, so it takes its peer's (bf16 stays bf16).
    const bool fits_any = size_of(argument) == 1;
    common = fits_any ? common : promote(common, float_of(argument));
  }
  return float_of(common);
}

FunctionTypes all_of(DType dtype, size_t num_arguments, DType result) {
  return {std::vector<DType>(num_arguments, dtype), result};
}

FunctionTypes all_of(DType dtype, size_t num_arguments) {
  return all_of(dtype, num_arguments, dtype);
}

void refuse_complex(std::string_view function, const std::vector<DType>& arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), is_complex)) {
    refuse(function, arguments,
           "complex numbers have no such function or order; use real(x), imag(x) or abs(x)");
  }
}

}  // namespace

void check_arity(std::string_view function, int arity, size_t num_arguments) {
  TESSERA_USER_CHECK(num_arguments == static_cast<size_t>(arity), "{} takes {} argument{}, not {}",
                     function, arity, arity == 1 ? "" : "s", num_arguments);
}

FunctionTypes bind_any(std::string_view, const std::vector<DType>& arguments) {
  return all_of(promote_all(arguments), arguments.size());
}

FunctionTypes bind_not_bool(std::string_view function, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  if (is_bool(common)) {
    refuse(function, arguments, "use logical_xor or logical_not, or cast to an integer");
  }
  return all_of(common, arguments.size());
}

FunctionTypes bind_bool_as_i8(std::string_view, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  return all_of(is_bool(common) ? DType::i8 : common, arguments.size());
}

FunctionTypes bind_real(std::string_view function, const std::vector<DType>& arguments) {
  refuse_complex(function, arguments);
  return bind_any(function, arguments);
}

FunctionTypes bind_real_bool_as_i8(std::string_view function, const std::vector<DType>& arguments) {
  refuse_complex(function, arguments);
  return bind_bool_as_i8(function, arguments);
}

FunctionTypes bind_floating(std::string_view, const std::vector<DType>& arguments) {
  return all_of(float_of_all(arguments), arguments.size());
}

FunctionTypes bind_real_floating(std::string_view function, const std::vector<DType>& arguments) {
  refuse_complex(function, arguments);
  return bind_floating(function, arguments);
}

FunctionTypes bind_division(std::string_view, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  return all_of(is_float(common) || is_complex(common) ? common : DType::f64, arguments.size());
}

FunctionTypes bind_bits(std::string_view function, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  if (!is_integer(common) && !is_bool(common)) {
    refuse(function, arguments,
           "it works on the bits of integers of one signedness, or of 32 bits and fewer");
  }
  return all_of(common, arguments.size());
}

FunctionTypes bind_shift(std::string_view function, const std::vector<DType>& arguments) {
  const DType common = bind_bits(function, arguments).result;
  return all_of(is_bool(common) ? DType::i8 : common, arguments.size());
}

FunctionTypes bind_equality(std::string_view, const std::vector<DType>& arguments) {
  return all_of(promote_all(arguments), arguments.size(), DType::b1);
}

FunctionTypes bind_order(std::string_view function, const std::vector<DType>& arguments) {
  refuse_complex(function, arguments);
  return bind_equality(function, arguments);
}

FunctionTypes bind_logical(std::string_view, const std::vector<DType>& arguments) {
  return all_of(DType::b1, arguments.size());
}

FunctionTypes bind_float_test(std::string_view, const std::vector<DType>& arguments) {
  return all_of(float_of_all(arguments), arguments.size(), DType::b1);
}

FunctionTypes bind_real_part(std::string_view, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  return all_of(common, arguments.size(), real_of(common));
}

FunctionTypes bind_choice(std::string_view, const std::vector<DType>& arguments) {
  const DType common = promote(arguments[1], arguments[2]);
  return {{DType::b1, common, common}, common};
}

FunctionTypes bind_guard(std::string_view, const std::vector<DType>& arguments) {
  return {{DType::b1, arguments[1]}, arguments[1]};
}

FunctionTypes bind_matrices(std::string_view, const std::vector<DType>& arguments) {
  const DType common = promote_all(arguments);
  const bool is_exact = !is_float(common) && !is_complex(common);
  return all_of(is_exact ? DType::f64 : compute_type(common), arguments.size());
}

FunctionTypes bind_draw(std::string_view function, const std::vector<DType>& arguments) {
  bind_bits(function, {arguments.front()});
  refuse_complex(function, arguments);
  const DType computed = bind_matrices(function, {arguments.begin() + 1, arguments.end()}).result;
  FunctionTypes types = all_of(computed, arguments.size());
  types.arguments.front() = DType::i64;
  return types;
}

FunctionTypes bind_group(std::string_view, const std::vector<DType>& arguments) {
  for (const DType argument : arguments) {
    TESSERA_USER_CHECK(is_integer(argument),
                       "a group is numbered by an integer, and this is {}; write i64(...)",
                       name_of(argument));
  }
  return all_of(DType::i64, arguments.size(), DType::b1);
}

}  // namespace tessera::expr
