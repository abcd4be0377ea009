#pragma once

#include <string_view>
#include <vector>

#include "expr/function.h"

namespace tessera::expr {

/// The type rule of a function, numpy's: the dtypes it is computed in for arguments of given
/// dtypes. Throws a user Error that names the function and the dtypes if numpy defines none. The
/// number of arguments has been checked.
using TypeRule = FunctionTypes (*)(std::string_view function, const std::vector<DType>& arguments);

FunctionTypes bind_any(std::string_view function,
                       const std::vector<DType>& arguments);  // promoted; bool stays bool
FunctionTypes bind_not_bool(std::string_view function,
                            const std::vector<DType>& arguments);  // promoted; bool refused
FunctionTypes bind_bool_as_i8(std::string_view function,
                              const std::vector<DType>& arguments);  // promoted; bool is i8
FunctionTypes bind_real(std::string_view function,
                        const std::vector<DType>& arguments);  // promoted; no complex
FunctionTypes bind_real_bool_as_i8(std::string_view function, const std::vector<DType>& arguments);
FunctionTypes bind_floating(std::string_view function,
                            const std::vector<DType>& arguments);  // floats and complex
FunctionTypes bind_real_floating(std::string_view function, const std::vector<DType>& arguments);
FunctionTypes bind_division(std::string_view function,
                            const std::vector<DType>& arguments);  // integers are f64
FunctionTypes bind_bits(std::string_view function,
                        const std::vector<DType>& arguments);  // integers and bool
FunctionTypes bind_shift(std::string_view function,
                         const std::vector<DType>& arguments);  // integers; bool is i8
FunctionTypes bind_equality(std::string_view function,
                            const std::vector<DType>& arguments);  // promoted -> b1
FunctionTypes bind_order(std::string_view function,
                         const std::vector<DType>& arguments);  // like equality; no complex
FunctionTypes bind_logical(std::string_view function,
                           const std::vector<DType>& arguments);  // every argument is b1
FunctionTypes bind_float_test(std::string_view function,
                              const std::vector<DType>& arguments);  // floating -> b1
FunctionTypes bind_real_part(std::string_view function,
                             const std::vector<DType>& arguments);  // complex -> its parts
FunctionTypes bind_choice(std::string_view function,
                          const std::vector<DType>& arguments);  // (b1, T, T) -> T
FunctionTypes bind_guard(std::string_view function,
                         const std::vector<DType>& arguments);  // (b1, T) -> T
FunctionTypes bind_group(std::string_view function,
                         const std::vector<DType>& arguments);  // integers, as i64 -> b1

FunctionTypes bind_matrices(std::string_view function,
                            const std::vector<DType>& arguments);  // f32, f64, c64, c128

/// Binds bits (integers, as i64), then parameters of a distribution, which are floats: of one
/// dtype, that of the result.
FunctionTypes bind_draw(std::string_view function, const std::vector<DType>& arguments);

/// Throws unless a function got as many arguments as it has.
void check_arity(std::string_view function, int arity, size_t num_arguments);

}  // namespace tessera::expr
