#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/convolution/direct_work.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Direct convolutions of every pair of functions, on every instruction set, against `reference`.
namespace tessera::kernels::convolution_direct_kernel_test {

namespace {

struct Pair {
  const char* join;
  const char* of_join;  // null: nothing
  const char* aggregate;
};

constexpr Pair kPairs[] = {
    {"multiply", nullptr, "sum"}, {"add", nullptr, "min"},       {"add", nullptr, "max"},
    {"multiply", nullptr, "max"}, {"multiply", nullptr, "min"},  {"subtract", "abs", "sum"},
    {"subtract", "abs", "max"},   {"subtract", "square", "sum"}, {"logical_and", nullptr, "any"},
};

/// Operands that are read in windows, their modes in any order and in tiles that begin anywhere.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed), pair(kPairs[draw_pair()]) {
    maybe(40, "n", 3, true, {&data_});
    maybe(40, "g", 20, true, {&data_, &weights_});
    maybe(50, "c", 9, false, {&data_, &weights_});
    maybe(50, "o", 15, true, {&weights_});
    const int64_t directions = number(1, 2);
    for (int64_t direction = 0; direction < directions; ++direction) {
      add_direction(&"xy"[direction], &"ab"[direction], directions == 1 ? 90 : 25);
    }
    std::shuffle(data_.begin(), data_.end(), random_);
    std::shuffle(weights_.begin(), weights_.end(), random_);
    if (chance(60)) {
      std::shuffle(out_.begin(), out_.end(), random_);
    }
    add_statement();
  }

  /// How often the reference computes, which is slow.
  int64_t num_positions() const {
    return std::accumulate(
        shape.ranges.begin(), shape.ranges.end(), int64_t{1},
        [](int64_t positions, const LabelRange& range) { return positions * range.length; });
  }

  const Pair& pair;

 private:
  size_t draw_pair() {
    return chance(40) ? 0 : static_cast<size_t>(number(0, std::size(kPairs) - 1));
  }
  expr::LabelNumber last() const {
    return static_cast<expr::LabelNumber>(program.labels.size() - 1);
  }

  void add_label(const char* name, int64_t length, bool is_out) {
    const int64_t begin = number(0, 3);
    program.labels.push_back({std::string(1, *name), begin + length});
    shape.ranges.push_back({begin, length});
    (is_out ? out_ : over_).push_back(last());
  }

  void maybe(int64_t percent, const char* name, int64_t longest, bool is_out,
             std::initializer_list<std::vector<expr::Index>*> readers) {
    if (chance(percent)) {
      add_label(name, number(1, longest), is_out);
      for (std::vector<expr::Index>* reader : readers) {
        reader->push_back(expr::plain(last()));
      }
    }
  }

  void add_direction(const char* place, const char* tap, int64_t longest) {
    add_label(place, number(1, longest), true);
    const expr::LabelNumber moving = last();
    add_label(tap, number(1, chance(5) ? 600 : 4), false);
    if (chance(90)) {  // else every place of a window has one weight
      weights_.push_back(expr::plain(last()));
    }
    const int64_t step = chance(20) ? -number(1, 3) : number(1, 3);
    const LabelRange range = shape.ranges.back();
    const int64_t offset = number(0, 4) - std::min<int64_t>(step, 0) * (range.begin + range.length);
    data_.push_back(expr::affine({{{moving, number(1, 3)}, {last(), step}}, offset}));
  }

  int32_t read(expr::ScalarBuilder& builder, DType dtype, std::vector<expr::Index> index) {
    Box box;
    for (const expr::Index& one : index) {
      const expr::Reach reach = *expr::reach_of(one, shape.ranges);
      const auto first = static_cast<int64_t>(reach.lowest);
      const int64_t before = chance(30) ? std::min<int64_t>(first, number(0, 2)) : 0;
      box.origin.push_back(first - before);
      box.extent.push_back(static_cast<int64_t>(reach.highest) - first + 1 + before +
                           (chance(30) ? number(0, 2) : 0));
    }
    tiles_.emplace_back(dtype, box);
    tiles_.back().fill(random_);
    inputs.push_back(tiles_.back().view());
    return builder.access({program.num_inputs++, std::move(index)}, dtype);
  }

  /// What an operand is stored in, and what it is computed in.
  std::pair<DType, DType> draw_types() {
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64};
    static constexpr DType kUnsigned[] = {DType::u32, DType::u64};
    static constexpr DType kStored[] = {DType::i8, DType::u8, DType::i16};
    if (pair.aggregate == std::string("any")) {
      return {DType::b1, DType::b1};
    }
    const bool is_product = &pair == kPairs;
    const DType type = is_product && chance(20) ? kUnsigned[number(0, 1)] : kTypes[number(0, 3)];
    if (chance(20)) {
      return {type == DType::f32 ? DType::f16 : kStored[number(0, 2)], type};
    }
    return {type, type};
  }

  void add_statement() {
    const auto [stored, type] = draw_types();
    expr::ScalarBuilder builder;
    const bool is_turned = chance(50);
    const int32_t first = builder.cast(read(builder, stored, is_turned ? weights_ : data_), type);
    const int32_t second = builder.cast(read(builder, type, is_turned ? data_ : weights_), type);
    int32_t value = call(builder, pair.join, {first, second});
    value = pair.of_join == nullptr ? value : call(builder, pair.of_join, {value});
    expr::TileStatement statement;
    statement.out = out_;
    std::shuffle(over_.begin(), over_.end(), random_);
    reduce(statement, over_, builder, pair.aggregate, value,
           builder.constant(int64_t{0}, DType::i64));
    program.statements.push_back(std::move(statement));
    shape.accumulate = chance(30);
  }

  std::vector<expr::LabelNumber> out_;
  std::vector<expr::LabelNumber> over_;
  std::vector<expr::Index> data_;
  std::vector<expr::Index> weights_;
};

const Kernel& convolution_direct() {
  return *all_kernels().find("convolution_direct");
}

TEST(ConvolutionDirectKernel, AgreesWithTheReferenceOnEveryInstructionSet) {
  constexpr int64_t kMostPositions = 100'000;
  std::map<std::string, int> num_runs;
  for (uint64_t seed = 0; seed < 700 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    if (draw.num_positions() > kMostPositions) {
      continue;
    }
    const std::string reason = refusal(convolution_direct(), draw.program, draw.shape);
    if (!reason.empty()) {  // of one result, or of one that stays where its innermost label moves
      ASSERT_TRUE(reason.find("result") != std::string::npos) << reason << ", seed " << seed;
      continue;
    }
    ++num_runs[std::string(draw.pair.join) + draw.pair.aggregate];
    const Outcome expected =
        run_kernel(*all_kernels().find("reference"), draw.program, draw.shape, draw.inputs);
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      Machine machine = known().machine;
      machine.isa = std::min(isa, machine.isa);
      const Context context{known().functions, known().aggregates, all_kernels(), machine};
      const Outcome seen =
          run_kernel(convolution_direct(), draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(seen.status, Status::ok);
      ASSERT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1)
          << "seed " << seed << ", instruction set " << static_cast<int>(machine.isa) << ": "
          << to_text(draw.program);
    }
  }
  for (const Pair& pair : kPairs) {
    EXPECT_GT(num_runs[std::string(pair.join) + pair.aggregate], 10 / kOneOfDrawn) << pair.join;
  }
}

TEST(ConvolutionDirectKernel, TakesRowsInTilesOfAboutOneSize) {
  DirectConvolution products;
  DirectConvolution others;
  const DirectEntry any;
  for (const size_t rows : {1, 2, 3, 4, 5, 6}) {
    products.tiles[rows][1] = &any;
    others.tiles[rows][1] = rows == 1 || rows == 4 ? &any : nullptr;
  }
  EXPECT_EQ(products.rows_of_tile(10), 5);
  EXPECT_EQ(products.rows_of_tile(7), 4);
  EXPECT_EQ(products.rows_of_tile(64), 6);
  EXPECT_EQ(others.rows_of_tile(10), 4);
  EXPECT_EQ(others.rows_of_tile(3), 1);
}

}  // namespace

}  // namespace tessera::kernels::convolution_direct_kernel_test
