#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// The kernel that stages operands against `reference` on drawn programs, whole and band by band.
namespace tessera::kernels {

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
      const int64_t length = number(1, 9);
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
    }
    if (over.empty()) {
      statement.bodies.push_back(builder.finish(body));
    } else {
      const DType made = builder.dtype_of(body);
      statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(made).monoid, over};
      statement.bodies.push_back(builder.finish(body));
      shape.accumulate = chance(30);
    }
    program.statements.push_back(std::move(statement));
  }

 private:
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

  /// A position from 0 to 2: of a table, or computed of a label or of a table.
  int32_t draw_position(expr::ScalarBuilder& builder) {
    if (chance(50)) {
      return draw_table(builder);
    }
    const int32_t of =
        chance(60) ? builder.index_of(any_label()) : builder.cast(draw_table(builder), DType::i64);
    const int32_t sum = call(builder, "add", {of, builder.constant(number(0, 4), DType::i64)});
    const int32_t half =
        call(builder, "floor_divide", {sum, builder.constant(int64_t{2}, DType::i64)});
    return call(builder, "remainder",
                {chance(50) ? half : sum, builder.constant(int64_t{3}, DType::i64)});
  }

  int32_t draw_access(expr::ScalarBuilder& builder) {
    std::vector<int32_t> positions;
    for (int64_t gathered = chance(40) ? number(1, 2) : 0; gathered > 0; --gathered) {
      positions.push_back(draw_position(builder));
    }
    const bool gathers = !positions.empty();
    expr::Access access{program.num_inputs++, {}};
    Box box;
    for (const int32_t position : positions) {
      const bool has_boundary = chance(40);
      access.index.push_back(
          expr::GatheredIndex{position, has_boundary ? draw_boundary() : expr::Inside{}});
      box.origin.push_back(0);
      box.extent.push_back(has_boundary ? number(1, 3) : chance(5) ? 2 : 3);
    }
    for (int64_t modes = number(gathers ? 0 : 1, 2); modes > 0; --modes) {
      access.index.push_back(!gathers && chance(60) ? draw_window(box) : draw_plain(box));
    }
    add_tile(access, box, dtype_);
    return builder.access(access_, dtype_);
  }

  DType dtype_ = DType::f64;
  expr::Access access_;
};

TEST(StagedKernel, AgreesWithTheReferenceOnDrawnProgramsInAnyBands) {
  const Registry registry = all_kernels();
  int num_runs = 0;
  for (const int64_t core_bytes : {int64_t{1} << 20, int64_t{200}}) {
    Machine machine = known().machine;
    machine.caches.core_bytes = core_bytes;
    const Context context{known().functions, known().aggregates, registry, machine};
    const Kernel& staged = *registry.find("staged");
    for (uint64_t seed = 0; seed < 1500 / kOneOfDrawn; ++seed) {
      const Draw draw(seed);
      if (!staged.read(draw.program, draw.shape, context)) {
        continue;
      }
      ++num_runs;
      const Outcome expected =
          run_kernel(*registry.find("reference"), draw.program, draw.shape, draw.inputs, context);
      const Outcome seen = run_kernel(staged, draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(seen.status, expected.status) << "seed " << seed << ": " << to_text(draw.program);
      if (expected.status == Status::ok) {
        ASSERT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1)
            << "seed " << seed << ": " << to_text(draw.program);
      }
    }
  }
  EXPECT_GT(num_runs, 1800 / kOneOfDrawn);
}

}  // namespace

}  // namespace tessera::kernels
