#include <array>
#include <span>
#include <string_view>

#include "expr/function_ids.h"
#include "kernels/generated/formula.h"

/// The functions whose code is generated, in the operations of interface.h. Each makes the bits of
/// its block function (isa/): generated_functions_test.cpp compares all of them.
namespace tessera::kernels::generated {

namespace {

using Arguments = std::span<const int32_t>;

/// A function that is one operation on arguments of one type.
struct OneOperation {
  std::string_view function;
  Operation operation;
  bool takes_floats = true;
  bool takes_integers = true;
  bool takes_bools = true;
};

constexpr std::array kOneOperation = {
    OneOperation{"add", Operation::add, true, true, false},
    OneOperation{"subtract", Operation::subtract, true, true, false},
    OneOperation{"multiply", Operation::multiply, true, true, false},
    OneOperation{"divide", Operation::divide, true, false, false},
    OneOperation{"minimum", Operation::minimum},
    OneOperation{"maximum", Operation::maximum},
    OneOperation{"sqrt", Operation::square_root, true, false, false},
    OneOperation{"floor", Operation::floor, true, false, false},
    OneOperation{"ceil", Operation::ceil, true, false, false},
    OneOperation{"trunc", Operation::trunc, true, false, false},
    OneOperation{"round", Operation::round, true, false, false},
    OneOperation{"equal", Operation::equal},
    OneOperation{"not_equal", Operation::not_equal},
    OneOperation{"less", Operation::less},
    OneOperation{"less_equal", Operation::less_equal},
    OneOperation{"bitwise_and", Operation::bitwise_and, false},
    OneOperation{"bitwise_or", Operation::bitwise_or, false},
    OneOperation{"bitwise_xor", Operation::bitwise_xor, false},
    OneOperation{"add", Operation::bitwise_or, false, false},
    OneOperation{"multiply", Operation::bitwise_and, false, false},
    OneOperation{"logical_and", Operation::bitwise_and, false, false},
    OneOperation{"logical_or", Operation::bitwise_or, false, false},
    OneOperation{"logical_xor", Operation::bitwise_xor, false, false}};

/// A writer of a function in steps.
class Writing {
 public:
  Writing(Formula& formula, Arguments arguments, DType result)
      : formula_(formula),
        arguments_(arguments),
        result_(result),
        type_(formula.type_of(arguments.back())) {}

  std::optional<int32_t> function(std::string_view name) {
    for (const OneOperation& known : kOneOperation) {
      if (known.function == name && takes(known)) {
        return step(known.operation, result_);
      }
    }
    return arguments_.size() == 1 ? of_one(name) : of_several(name);
  }

 private:
  bool takes(const OneOperation& known) const {
    return is_bool(type_)    ? known.takes_bools
           : is_float(type_) ? known.takes_floats
                             : known.takes_integers;
  }

  int32_t argument(size_t number) const { return arguments_[number]; }
  int32_t step(Operation operation, DType type) {
    return formula_.step(operation, type, {arguments_.begin(), arguments_.end()});
  }
  int32_t number(int64_t value) { return formula_.constant(Literal(value), type_); }

  std::optional<int32_t> of_one(std::string_view name) {
    const int32_t x = argument(0);
    if (name == "cast") {
      return cast();
    }
    if (name == "logical_not") {
      return formula_.step(Operation::bitwise_xor, type_, {x, number(1)});
    }
    if (name == "square" && !is_bool(type_)) {
      return formula_.step(Operation::multiply, type_, {x, x});
    }
    if (name == "negative" && !is_bool(type_)) {
      return is_float(type_) ? step(Operation::negative, type_)
                             : formula_.step(Operation::subtract, type_, {number(0), x});
    }
    if (name == "abs") {
      return is_float(type_) || is_signed_integer(type_) ? step(Operation::absolute, type_) : x;
    }
    if (name == "relu") {
      const int32_t is_negative = formula_.step(Operation::less, DType::b1, {x, number(0)});
      return formula_.step(Operation::where, type_, {is_negative, number(0), x});
    }
    return is_float(type_) ? of_one_float(name) : std::nullopt;
  }

  std::optional<int32_t> of_one_float(std::string_view name) {
    const int32_t x = argument(0);
    if (name == "reciprocal") {
      return formula_.step(Operation::divide, type_, {number(1), x});
    }
    if (name == "rsqrt") {
      const int32_t root = formula_.step(Operation::square_root, type_, {x});
      return formula_.step(Operation::divide, type_, {number(1), root});
    }
    if (name == "isnan") {
      return formula_.step(Operation::not_equal, DType::b1, {x, x});
    }
    return std::nullopt;
  }

  std::optional<int32_t> of_several(std::string_view name) {
    const int32_t x = argument(0);
    const int32_t y = argument(1);
    if (name == "greater") {
      return formula_.step(Operation::less, DType::b1, {y, x});
    }
    if (name == "greater_equal") {
      return formula_.step(Operation::less_equal, DType::b1, {y, x});
    }
    if (name == "where") {
      return step(Operation::where, type_);
    }
    if (name == "clip") {
      const int32_t low = formula_.step(Operation::maximum, type_, {x, y});
      return formula_.step(Operation::minimum, type_, {low, argument(2)});
    }
    return std::nullopt;
  }

  /// Casts. A float that an integer cannot hold becomes whatever the processor gives, so such casts
  /// are left to block functions.
  std::optional<int32_t> cast() {
    const bool is_unsafe = is_float(type_) && is_integer(result_);
    return is_unsafe ? std::nullopt : std::optional(step(Operation::cast, result_));
  }

  Formula& formula_;
  Arguments arguments_;
  DType result_;
  DType type_;  // of the last argument, and of all others but a condition
};

}  // namespace

std::optional<int32_t> add_function(Formula& formula, const std::string& function,
                                    const std::vector<int32_t>& arguments, DType result) {
  return is_generated(result) ? Writing(formula, arguments, result).function(function)
                              : std::nullopt;
}

}  // namespace tessera::kernels::generated
