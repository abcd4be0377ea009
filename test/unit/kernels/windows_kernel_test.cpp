#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Aggregates over windows of one operand, in whole and in small blocks, against `reference`.
namespace tessera::kernels::windows_kernel_test {

namespace {

/// Windows over an operand with its modes in any order and a tile that begins anywhere.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    const int64_t directions = number(1, 3);
    const int64_t longest[] = {0, 150, 20, 8};
    if (chance(40)) {
      add_label("n", number(1, 3), true);
      index_.push_back(expr::plain(last()));
    }
    if (chance(30)) {
      add_label("c", number(1, 9), chance(60));
      index_.push_back(expr::plain(last()));
    }
    for (int64_t direction = 0; direction < directions; ++direction) {
      add_direction(direction, longest[directions]);
    }
    if (chance(20)) {
      index_.push_back(expr::fixed(number(0, 3)));
    }
    if (chance(50)) {
      std::shuffle(index_.begin(), index_.end(), random_);
    }
    if (chance(40)) {
      std::shuffle(out_.begin(), out_.end(), random_);
    } else {
      sort_results();
    }
    add_statement();
  }

  std::string aggregate;

 private:
  void add_label(const char* name, int64_t length, bool is_out) {
    const int64_t begin = number(0, 3);
    program.labels.push_back({name, begin + length});
    shape.ranges.push_back({begin, length});
    (is_out ? out_ : over_).push_back(last());
  }
  expr::LabelNumber last() const {
    return static_cast<expr::LabelNumber>(program.labels.size() - 1);
  }

  /// A window of one or two taps along a mode, forwards or backwards.
  void add_direction(int64_t direction, int64_t longest) {
    const std::string name(1, "xyz"[direction]);
    add_label(name.c_str(), number(1, longest), true);
    std::vector<expr::AffineIndex::Term> terms = {{last(), number(1, 5)}};
    const int64_t most_taps = longest > 100 ? 70 : 5;
    int64_t offset = number(0, 4);
    for (int64_t taps = chance(15) ? 2 : 1; taps > 0; --taps) {
      add_label((name + std::to_string(taps)).c_str(), number(1, most_taps), false);
      const int64_t step = chance(20) ? -number(1, 3) : number(1, 3);
      terms.push_back({last(), step});
      const LabelRange range = shape.ranges.back();
      offset -= std::min<int64_t>(step, 0) * (range.begin + range.length);
    }
    std::shuffle(terms.begin(), terms.end(), random_);
    index_.push_back(expr::affine({terms, offset}));
  }

  /// As the operand has them.
  void sort_results() {
    std::vector<expr::LabelNumber> sorted;
    for (const expr::Index& index : index_) {
      expr::for_each_term(index, [&](expr::LabelNumber label, int64_t) {
        if (std::find(out_.begin(), out_.end(), label) != out_.end()) {
          sorted.push_back(label);
        }
      });
    }
    out_ = sorted;
  }

  int32_t read(expr::ScalarBuilder& builder, DType dtype) {
    Box box;
    for (const expr::Index& one : index_) {
      const expr::Reach reach = *expr::reach_of(one, shape.ranges);
      const auto first = static_cast<int64_t>(reach.lowest);
      const int64_t before = chance(30) ? std::min<int64_t>(first, number(0, 2)) : 0;
      box.origin.push_back(first - before);
      box.extent.push_back(static_cast<int64_t>(reach.highest) - first + 1 + before +
                           (chance(30) ? number(0, 2) : 0));
    }
    tiles_.emplace_back(dtype, box);
    tiles_.back().fill(random_, -1, 2);
    inputs.push_back(tiles_.back().view());
    return builder.access({program.num_inputs++, index_}, dtype);
  }

  void add_statement() {
    static constexpr const char* kAggregates[] = {"sum",  "max", "min", "mean",
                                                  "prod", "any", "all"};
    aggregate = kAggregates[number(0, std::size(kAggregates) - 1)];
    const bool is_truth = aggregate == "any" || aggregate == "all";
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64,
                                       DType::u64, DType::i8,  DType::u8,  DType::i16,
                                       DType::u16, DType::u32, DType::f16, DType::b1};
    const DType dtype = is_truth ? DType::b1 : kTypes[number(0, std::size(kTypes) - 1)];
    expr::ScalarBuilder builder;
    int32_t value = read(builder, dtype);
    if (!is_truth && dtype != DType::b1 && chance(40)) {
      value = chance(50) ? call(builder, "abs", {value})
                         : call(builder, "multiply", {value, builder.constant(int64_t{3}, dtype)});
    }
    if (!is_truth && chance(20)) {
      value = builder.cast(value, DType::f64);
    }
    expr::TileStatement statement;
    statement.out = out_;
    std::shuffle(over_.begin(), over_.end(), random_);
    reduce(statement, over_, builder, aggregate.c_str(), value,
           builder.constant(int64_t{0}, DType::i64));
    program.statements.push_back(std::move(statement));
    shape.accumulate = chance(30);
  }

  std::vector<expr::LabelNumber> out_;
  std::vector<expr::LabelNumber> over_;
  std::vector<expr::Index> index_;
};

const Kernel& windows() {
  return *all_kernels().find("windows");
}

void compare(const Draw& draw, const Context& context, const std::string& which) {
  const Outcome expected =
      run_kernel(*all_kernels().find("reference"), draw.program, draw.shape, draw.inputs);
  const Outcome seen = run_kernel(windows(), draw.program, draw.shape, draw.inputs, context);
  ASSERT_EQ(seen.status, Status::ok);
  for (size_t state = 0; state < expected.outputs.size(); ++state) {
    ASSERT_EQ(first_difference(seen.outputs[state], expected.outputs[state]), -1)
        << which << ", state " << state << ": " << to_text(draw.program);
  }
}

TEST(WindowsKernel, AgreesWithTheReferenceOnDrawnWindows) {
  std::map<std::string, int> num_runs;
  for (uint64_t seed = 0; seed < 600 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    const std::string reason = refusal(windows(), draw.program, draw.shape);
    if (!reason.empty()) {  // products of narrow types, f16 merged as it is
      ASSERT_NE(reason.find("there is no code"), std::string::npos)
          << reason << ", seed " << seed << ": " << to_text(draw.program);
      continue;
    }
    ++num_runs[draw.aggregate];
    ASSERT_NO_FATAL_FAILURE(compare(draw, known().context, "seed " + std::to_string(seed)));
  }
  for (const char* const aggregate : {"sum", "max", "min", "mean", "prod", "any", "all"}) {
    EXPECT_GE(num_runs[aggregate], 20 / kOneOfDrawn) << aggregate;
  }
}

TEST(WindowsKernel, AgreesOnEveryInstructionSetAndInSmallBlocks) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    if (isa > known().machine.isa) {
      continue;
    }
    Machine machine = known().machine;
    machine.isa = isa;
    machine.caches.core_bytes = 1000;
    const Context context{known().functions, known().aggregates, all_kernels(), machine};
    for (uint64_t seed = 600; seed < 600 + 200 / kOneOfDrawn; ++seed) {
      const Draw draw(seed);
      if (refusal(windows(), draw.program, draw.shape).empty()) {
        ASSERT_NO_FATAL_FAILURE(compare(draw, context, "seed " + std::to_string(seed)));
      }
    }
  }
}

}  // namespace

}  // namespace tessera::kernels::windows_kernel_test
