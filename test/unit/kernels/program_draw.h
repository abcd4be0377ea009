#pragma once

#include "expr/scalar.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

namespace tessera::kernels {

/// A program, its call and its inputs, drawn from a seed: what all such draws are made with.
class ProgramDraw {
 public:
  expr::TileProgram program;
  CallShape shape;
  std::vector<TileView> inputs;

 protected:
  explicit ProgramDraw(uint64_t seed) : random_(seed) {
    tiles_.reserve(kMostInputs);  // views of the tiles stay where they are
  }

  int64_t number(int64_t lowest, int64_t highest) {
    return std::uniform_int_distribution<int64_t>(lowest, highest)(random_);
  }
  bool chance(int64_t percent) { return number(1, 100) <= percent; }
  DType integer_type() {
    static constexpr DType kTypes[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                                       DType::u8, DType::u16, DType::u32, DType::u64};
    return kTypes[number(0, std::size(kTypes) - 1)];
  }

  /// A function of values, each converted to what it takes.
  static int32_t call(expr::ScalarBuilder& builder, const char* name,
                      std::vector<int32_t> arguments) {
    std::vector<DType> dtypes;
    for (const int32_t argument : arguments) {
      dtypes.push_back(builder.dtype_of(argument));
    }
    const expr::FunctionTypes types = expr::all_functions().find(name)->bind(dtypes);
    for (size_t argument = 0; argument < arguments.size(); ++argument) {
      arguments[argument] = builder.cast(arguments[argument], types.arguments[argument]);
    }
    return builder.call(name, arguments, types.result);
  }

  /// Lets a statement reduce a value over labels, which stands at `position` along them.
  static void reduce(expr::TileStatement& statement, std::vector<expr::LabelNumber> over,
                     expr::ScalarBuilder& builder, const char* aggregate, int32_t value,
                     int32_t position) {
    const expr::BoundAggregate bound =
        expr::all_aggregates().find(aggregate)->bind(builder.dtype_of(value));
    for (const expr::Scalar& lift : bound.lift) {
      statement.bodies.push_back(builder.finish(builder.inline_scalar(lift, {value, position})));
    }
    statement.what = expr::Reduce{bound.monoid, std::move(over)};
  }

  static constexpr size_t kMostInputs = 32;
  std::mt19937_64 random_;
  std::vector<TestTile> tiles_;
};

}  // namespace tessera::kernels
