#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// The kernel that stages operands against `reference` on drawn programs, whole and band by band.
namespace tessera::kernels::staged_kernel_test {

namespace {

/// Sums and products of operands that are read in windows with boundaries, at the elements of
/// tables, or plainly.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    static constexpr DType kTypes[] = {DType::f64, DType::f32, DType::i64, DType::i16, DType::b1};
    dtype_ = kTypes[number(0, 4)];
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> over;
    const int64_t num_labels = number(1, 4);
    for (int64_t label = 0; label < num_labels; ++label) {
      const int64_t begin = number(0, 3);
      const int64_t length = chance(25) ? number(0, 1) : number(1, 9);
      program.labels.push_back(
          {std::string(1, static_cast<char>('a' + label)), begin + length + number(0, 2)});
      shape.ranges.push_back({begin, length});
      (chance(70) ? statement.out : over).push_back(static_cast<expr::LabelNumber>(label));
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    expr::ScalarBuilder builder;
    int32_t body = draw_access(builder);
    for (int64_t more = number(0, 2); more > 0; --more) {
      body = call(builder, chance(50) ? "add" : "maximum", {body, draw_access(builder)});
      body = chance(20) ? call(builder, "multiply", {body, repeat_access(builder)}) : body;
    }
    if (over.empty()) {
      statement.bodies.push_back(builder.finish(body));
    } else {
      const DType made = builder.dtype_of(body);
      statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(made).monoid, over};
      statement.bodies.push_back(builder.finish(body));
      shape.accumulate = chance(30);
    }
    for (expr::Scalar& own : statement.bodies) {
      expr::for_each_access(own, [this](expr::Access& access, DType) {
        const auto same = first_of_.find(access.operand);
        access.operand = same == first_of_.end() ? access.operand : same->second;
      });
    }
    program.statements.push_back(std::move(statement));
  }

 private:
  /// The last access once more, of an operand that becomes the same one when the body is whole: its
  /// nodes are then equal under two numbers, as where two inputs of a statement are one.
  int32_t repeat_access(expr::ScalarBuilder& builder) {
    expr::Access again = access_;
    again.operand = program.num_inputs++;
    inputs.push_back(inputs[static_cast<size_t>(access_.operand)]);
    first_of_[again.operand] = access_.operand;
    return builder.access(std::move(again), dtype_);
  }

  expr::LabelNumber any_label() {
    return static_cast<expr::LabelNumber>(
        number(0, static_cast<int64_t>(program.labels.size()) - 1));
  }

  expr::Pad pad() const {
    return {dtype_ == DType::b1  ? Literal(true)
            : is_integer(dtype_) ? Literal(int64_t{7})
                                 : Literal(7.0)};
  }

  expr::Boundary draw_boundary() {
    switch (number(0, 2)) {
      case 0:
        return pad();
      case 1:
        return expr::Edge{};
      default:
        return expr::Reflect{};
    }
  }

  void add_tile(expr::Access access, const Box& box, DType dtype) {
    tiles_.emplace_back(dtype, box);
    tiles_.back().fill(random_, is_bool(dtype) ? -1 : dtype == dtype_ ? -2 : 0, 2);
    inputs.push_back(tiles_.back().view());
    access_ = std::move(access);
  }

  /// A window over a mode that starts at 0, so that what lies outside is outside of the tensor.
  expr::Index draw_window(Box& box) {
    expr::AffineIndex affine;
    affine.terms.push_back({any_label(), chance(20) ? -1 : number(1, 2)});
    if (chance(50) && program.labels.size() > 1) {
      const expr::LabelNumber other = any_label();
      if (other != affine.terms[0].label) {
        affine.terms.push_back({other, 1});
      }
    }
    affine.offset = number(-4, 8);
    affine.divisor = chance(30) ? number(2, 3) : 1;
    affine.outside = affine.divisor == 1 ? draw_boundary() : pad();
    box.origin.push_back(0);
    box.extent.push_back(number(1, 9));
    return expr::affine(affine);
  }

  expr::Index draw_plain(Box& box) {
    const expr::LabelNumber label = any_label();
    const LabelRange& range = shape.ranges[static_cast<size_t>(label)];
    box.origin.push_back(range.begin);
    box.extent.push_back(range.length);
    return expr::plain(label);
  }

  int32_t draw_table(expr::ScalarBuilder& builder) {
    const DType type = chance(50) ? DType::i64 : DType::i32;
    expr::Access access{program.num_inputs++, {}};
    Box box;
    for (int64_t modes = number(1, 2); modes > 0; --modes) {
      access.index.push_back(draw_plain(box));
    }
    add_tile(access, box, type);
    return builder.access(access_, type);
  }

  /// A position, mostly from 0 to 2: of a table, or ((v + c) // d) % m of a label or of a table,
  /// of which any part may be missing and any number may be 1.
  int32_t draw_position(expr::ScalarBuilder& builder) {
    if (chance(40)) {
      return draw_table(builder);
    }
    int32_t value =
        chance(75) ? builder.index_of(any_label()) : builder.cast(draw_table(builder), DType::i64);
    const auto apply = [&](const char* function, int64_t by) {
      value = call(builder, function, {value, builder.constant(by, DType::i64)});
    };
    if (chance(60)) {
      apply(chance(60) ? "add" : "subtract", number(0, 5));
    }
    if (chance(50)) {
      apply("floor_divide", number(1, 4));
    }
    if (chance(90)) {
      apply("remainder", chance(95) ? number(1, 3) : -2);
    }
    return value;
  }

  int32_t draw_access(expr::ScalarBuilder& builder) {
    std::vector<int32_t> positions;
    for (int64_t gathered = chance(50) ? number(1, 2) : 0; gathered > 0; --gathered) {
      positions.push_back(draw_position(builder));
    }
    const bool gathers = !positions.empty();
    expr::Access access{program.num_inputs++, {}};
    Box box;
    for (const int32_t position : positions) {
      const bool has_boundary = chance(30);
      access.index.push_back(
          expr::GatheredIndex{position, has_boundary ? draw_boundary() : expr::Inside{}});
      box.origin.push_back(has_boundary || chance(95) ? 0 : 1);
      box.extent.push_back(has_boundary ? number(1, 3) : chance(5) ? number(0, 2) : 3);
    }
    for (int64_t modes = number(gathers ? 0 : 1, 2); modes > 0; --modes) {
      access.index.push_back(!gathers && chance(60) ? draw_window(box) : draw_plain(box));
    }
    add_tile(access, box, dtype_);
    return builder.access(access_, dtype_);
  }

  DType dtype_ = DType::f64;
  expr::Access access_;
  std::map<int32_t, int32_t> first_of_;  // by operand: the one that it is
};

/// Every kernel that reads a drawn program against `reference`: the statuses are equal, and the
/// elements where that is ok. Returns how many there were.
int compare_with_reference(const Draw& draw, const Context& context, uint64_t seed) {
  const Kernel& reference = *context.kernels.find("reference");
  const Outcome expected = run_kernel(reference, draw.program, draw.shape, draw.inputs, context);
  int num_compared = 0;
  for (const Kernel& kernel : context.kernels.all()) {
    if (kernel.name == "reference" || !kernel.read(draw.program, draw.shape, context)) {
      continue;
    }
    ++num_compared;
    const Outcome seen = run_kernel(kernel, draw.program, draw.shape, draw.inputs, context);
    EXPECT_EQ(seen.status, expected.status)
        << kernel.name << ", seed " << seed << ": " << to_text(draw.program);
    if (seen.status == Status::ok && expected.status == Status::ok) {
      EXPECT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1)
          << kernel.name << ", seed " << seed << ": " << to_text(draw.program);
    }
  }
  return num_compared;
}

TEST(StagedKernel, AgreesWithTheReferenceOnDrawnProgramsInAnyBands) {
  const Registry registry = all_kernels();
  int num_runs = 0;
  for (const int64_t core_bytes : {int64_t{1} << 20, int64_t{200}}) {
    Machine machine = known().machine;
    machine.caches.core_bytes = core_bytes;
    const Context context{known().functions, known().aggregates, registry, machine};
    for (uint64_t seed = 0; seed < 2000 / kOneOfDrawn && !HasFailure(); ++seed) {
      num_runs += compare_with_reference(Draw(seed), context, seed);
    }
  }
  EXPECT_GT(num_runs, 2400 / kOneOfDrawn);
}

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

/// An index that is divided by 0 is a fault, not a missing part of ((n + c) // d) % m.
TEST(StagedKernel, DividesNoPositionByZero) {
  const TestTile table(DType::f64, whole({9}));
  const CallShape shape{{{0, 5}}};
  for (const char* const index :
       {"remainder(index(r), 0)", "remainder(floor_divide(index(r) + 1, 2), 0)",
        "floor_divide(index(r), 0)", "remainder(floor_divide(index(r) - 1, 0), 2)"}) {
    const std::string text = std::string("[r=5] (f64) o[r] = x0[") + index + "]";
    const expr::TileProgram program = program_of(text);
    for (const Kernel& kernel : all_kernels().all()) {
      if (kernel.read(program, shape, known().context)) {
        const Outcome outcome = run_kernel(kernel, program, shape, {table.view()});
        EXPECT_EQ(outcome.status, Status::integer_division_by_zero) << kernel.name << ": " << text;
      }
    }
  }
}

/// Two operands that become one leave equal nodes under several numbers (part_of()).
TEST(StagedKernel, ReadsBodiesWithEqualNodes) {
  const CallShape shape{{{0, 3}}};
  expr::TileProgram program =
      program_of("[i=3] (f64,f64,i64,f64) o[i] = x0[i] * x1[i] + x3[x2[i]] * (x0[i] + x1[i])");
  for (expr::Node& node : program.statements[0].bodies[0].nodes) {
    if (auto* const access = std::get_if<expr::Access>(&node.op)) {
      access->operand = access->operand == 1 ? 0 : access->operand;
    }
  }
  std::mt19937_64 random(3);
  std::vector<TestTile> tiles;
  for (const DType dtype : {DType::f64, DType::f64, DType::i64, DType::f64}) {
    tiles.emplace_back(dtype, whole({3}));
    tiles.back().fill(random, 0, 2);
  }
  const std::vector<TileView> inputs = {tiles[0].view(), tiles[1].view(), tiles[2].view(),
                                        tiles[3].view()};
  const Outcome expected = run_kernel(*all_kernels().find("reference"), program, shape, inputs);
  const Outcome seen = run_kernel(*all_kernels().find("staged"), program, shape, inputs);
  EXPECT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1);
}

}  // namespace

}  // namespace tessera::kernels::staged_kernel_test
