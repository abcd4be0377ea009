#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "unit/expr/registries.h"

/// Blocks that are computed in parts give the bits of whole ones. Operands with gaps are copied to
/// blocks, which then are not cut.
namespace tessera::kernels::block_parts_test {

namespace {

constexpr int64_t kRows = 2;
constexpr int64_t kColumns = 3 * kBlock + 336;  // the last block and its last part are shorter

/// Two operands of kRows * kColumns numbers, every one `gap` positions from the next.
template <class T>
class Operands {
 public:
  Operands(DType dtype, int64_t gap) : dtype_(dtype), gap_(gap) {
    for (std::vector<T>& values : values_) {
      values.assign(static_cast<size_t>(kRows * kColumns * gap), T(0));
    }
    for (int64_t at = 0; at < kRows * kColumns; ++at) {
      values_[0][static_cast<size_t>(at * gap)] = T(at % 911) / T(300) - T(1);
      values_[1][static_cast<size_t>(at * gap)] = T(at % 613) / T(100);
    }
  }

  std::vector<T> run(const BlockedEvaluator& evaluator, std::span<const LabelRange> ranges,
                     bool is_reduced) {
    std::vector<TileView> inputs;
    for (std::vector<T>& values : values_) {
      inputs.push_back(dense_view(reinterpret_cast<std::byte*>(values.data()), dtype_,
                                  whole({kRows, kColumns})));
      inputs.back().strides = {kColumns * gap_, gap_};
    }
    std::vector<T> result(static_cast<size_t>(is_reduced ? kRows : kRows * kColumns));
    const TileView output = dense_view(reinterpret_cast<std::byte*>(result.data()), dtype_,
                                       is_reduced ? whole({kRows}) : whole({kRows, kColumns}));
    const std::unique_ptr<std::byte, decltype(&std::free)> workspace(
        static_cast<std::byte*>(std::aligned_alloc(
            64, static_cast<size_t>((evaluator.workspace_bytes() + 63) / 64 * 64))),
        &std::free);
    EXPECT_EQ(evaluator.run({inputs, std::span(&output, 1), ranges, false, workspace.get()}),
              Status::ok);
    return result;
  }

 private:
  DType dtype_;
  int64_t gap_;
  std::vector<T> values_[2];
};

template <class T>
void expect_equal_bits(DType dtype, const std::string& statement, bool is_reduced) {
  const std::string text = fmt::format("[i={},j={}] ({},{}) {}", kRows, kColumns, name_of(dtype),
                                       name_of(dtype), statement);
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  const CallShape shape{{{0, kRows}, {0, kColumns}}};
  for (const Isa isa : {Isa::scalar, widest_isa()}) {
    const auto evaluator = BlockedEvaluator::compile(program.statements[0], shape, isa);
    ASSERT_EQ(evaluator.reason(), "");
    const std::vector<T> in_parts =
        Operands<T>(dtype, 1).run(**evaluator, shape.ranges, is_reduced);
    const std::vector<T> as_blocks =
        Operands<T>(dtype, 2).run(**evaluator, shape.ranges, is_reduced);
    for (size_t at = 0; at < in_parts.size(); ++at) {
      ASSERT_EQ(in_parts[at], as_blocks[at]) << statement << " at " << at;
    }
    ASSERT_NE(in_parts[0], in_parts[1]) << statement;
  }
}

TEST(BlockParts, GiveTheBitsOfWholeBlocks) {
  for (const char* statement :
       {"o[i,j] = exp(x0[i,j]) * x1[i,j] + x0[i,j]",
        "o[i,j] = log(x1[i,j] + 1.5) * (exp(x0[i,j]) - sqrt(x1[i,j])) + exp(x0[i,j])",
        "o[i,j] = tanh(x0[i,j]) / (x1[i,j] + 0.25)"}) {
    expect_equal_bits<float>(DType::f32, statement, false);
    expect_equal_bits<double>(DType::f64, statement, false);
  }
}

TEST(BlockParts, OfWhatIsMergedToo) {
  const char* const statement =
      "o[i] = sum[j] (exp(x0[i,j] + x1[i,j]) * x1[i,j] + log(x1[i,j] + 1))";
  expect_equal_bits<float>(DType::f32, statement, true);
  expect_equal_bits<double>(DType::f64, statement, true);
}

}  // namespace

}  // namespace tessera::kernels::block_parts_test
