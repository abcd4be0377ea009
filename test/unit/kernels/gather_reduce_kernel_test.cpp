#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// The kernel that merges gathered rows where they lie, against `reference`.
namespace tessera::kernels::gather_reduce_kernel_test {

namespace {

/// Rows of an operand at the elements of one or two tables, merged over some of their labels: rows
/// of many widths, parts of larger tiles, rows whose elements lie apart, and sometimes a position
/// outside.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i64,
                                       DType::u64, DType::c64, DType::b1};
    const DType dtype = kTypes[number(0, std::size(kTypes) - 1)];
    draw_labels();
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> over;
    for (expr::LabelNumber label = 1; label < num_labels(); ++label) {
      (chance(50) ? over : statement.out).push_back(label);
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    std::shuffle(over.begin(), over.end(), random_);
    statement.out.push_back(0);
    expr::ScalarBuilder builder;
    const int32_t value = draw_rows(builder, dtype);
    reduce(statement, over, builder, draw_aggregate(dtype), value, value);
    program.statements.push_back(std::move(statement));
    shape.accumulate = chance(30);
  }

 private:
  expr::LabelNumber num_labels() const {
    return static_cast<expr::LabelNumber>(program.labels.size());
  }

  /// The first label runs along rows.
  void draw_labels() {
    static constexpr int64_t kWidths[] = {1, 3, 8, 15, 16, 17, 64, 70, 130, 1100};
    static constexpr int64_t kLengths[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 40};
    int64_t positions = 1;
    for (int64_t label = 0; label <= number(2, 3); ++label) {
      int64_t length = label == 0 ? kWidths[number(0, std::size(kWidths) - 1)]
                                  : kLengths[number(1, std::size(kLengths) - 1)];
      length = label == 1 && chance(3) ? 0 : length;
      length = positions * length > 40'000 ? number(1, 3) : length;
      positions *= std::max<int64_t>(length, 1);
      const int64_t begin = number(0, 3);
      program.labels.push_back({std::string(1, static_cast<char>('a' + label)), begin + length});
      shape.ranges.push_back({begin, length});
    }
  }

  const char* draw_aggregate(DType dtype) {
    static constexpr const char* kOfNumbers[] = {"sum", "max", "min", "prod", "mean"};
    if (is_bool(dtype)) {
      return chance(50) ? "any" : "all";
    }
    return is_complex(dtype) ? "sum" : kOfNumbers[number(0, std::size(kOfNumbers) - 1)];
  }

  int32_t draw_rows(expr::ScalarBuilder& builder, DType dtype) {
    program.num_inputs = static_cast<int32_t>(number(2, 3));
    expr::Access rows{program.num_inputs - 1, {}};
    Box box;
    for (int32_t table = 0; table + 1 < program.num_inputs; ++table) {
      rows.index.push_back(expr::GatheredIndex{draw_table(builder, table), expr::Inside{}});
      box.origin.push_back(0);
      box.extent.push_back(chance(5) ? 4 : 5);
    }
    if (chance(20)) {
      rows.index.push_back(plain_mode(number(1, num_labels() - 1), box));
    }
    rows.index.push_back(plain_mode(0, box));
    // Elements of a row lie apart where its mode is not the last.
    const size_t row = rows.index.size() - 1;
    const size_t other = chance(15) ? 0 : row;
    std::swap(rows.index[row], rows.index[other]);
    std::swap(box.origin[row], box.origin[other]);
    std::swap(box.extent[row], box.extent[other]);
    add_input(dtype, box, -2, 2);
    return builder.access(rows, dtype);
  }

  int32_t draw_table(expr::ScalarBuilder& builder, int32_t operand) {
    const DType type = integer_type();
    expr::Access access{operand, {}};
    Box box;
    for (expr::LabelNumber label = 1; label < num_labels(); ++label) {
      access.index.push_back(plain_mode(label, box));
    }
    add_input(type, box, 0, 4);
    return builder.access(access, type);
  }

  expr::Index plain_mode(int64_t label, Box& box) {
    const LabelRange& range = shape.ranges[static_cast<size_t>(label)];
    box.origin.push_back(range.begin);
    box.extent.push_back(range.length);
    return expr::plain(static_cast<expr::LabelNumber>(label));
  }

  /// A tile of the box, or a part of one that reaches farther.
  void add_input(DType dtype, const Box& box, int64_t lowest, int64_t highest) {
    Box around = box;
    for (int64_t& extent : around.extent) {
      extent += chance(20) ? number(0, 2) : 0;
    }
    tiles_.emplace_back(dtype, around);
    tiles_.back().fill(random_, lowest, highest);
    inputs.push_back(subview(tiles_.back().view(), box));
  }
};

TEST(GatherReduceKernel, AgreesWithTheReferenceOnDrawnRows) {
  const Registry& registry = all_kernels();
  const Kernel& kernel = *registry.find("gather_reduce");
  int num_runs = 0;
  int num_faults = 0;
  for (uint64_t seed = 0; seed < 1500 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    if (!kernel.read(draw.program, draw.shape, known().context)) {
      continue;
    }
    ++num_runs;
    const Outcome expected =
        run_kernel(*registry.find("reference"), draw.program, draw.shape, draw.inputs);
    const Outcome seen = run_kernel(kernel, draw.program, draw.shape, draw.inputs);
    ASSERT_EQ(seen.status, expected.status) << "seed " << seed << ": " << to_text(draw.program);
    num_faults += seen.status == Status::ok ? 0 : 1;
    for (size_t output = 0; seen.status == Status::ok && output < seen.outputs.size(); ++output) {
      ASSERT_EQ(first_difference(seen.outputs[output], expected.outputs[output]), -1)
          << "seed " << seed << ", output " << output << ": " << to_text(draw.program);
    }
  }
  EXPECT_GT(num_runs, 1000 / kOneOfDrawn);
  EXPECT_GT(num_faults, 20 / kOneOfDrawn);
}

/// Y[n,e] = sum[k] X[I[n,k],e], of which I[5,2] lies outside.
TEST(GatherReduceKernel, SaysWhichPositionLiesOutside) {
  expr::TileProgram program;
  program.labels = {{"n", 7}, {"k", 3}, {"e", 8}};
  program.num_inputs = 2;
  expr::ScalarBuilder builder;
  const int32_t table =
      builder.access(expr::Access{0, {expr::plain(0), expr::plain(1)}}, DType::i64);
  const int32_t row = builder.access(
      expr::Access{1, {expr::GatheredIndex{table, expr::Inside{}}, expr::plain(2)}}, DType::f32);
  expr::TileStatement statement;
  statement.out = {0, 2};
  statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(DType::f32).monoid, {1}};
  statement.bodies = {builder.finish(row)};
  program.statements = {statement};
  const TestTile positions(DType::i64, whole({7, 3}));
  positions.view().as<int64_t>()[5 * 3 + 2] = 4;
  const TestTile rows(DType::f32, whole({4, 8}));
  const TestTile result(DType::f32, whole({7, 8}));
  const CallShape shape{{{0, 7}, {0, 3}, {0, 8}}, false};
  const OrRefusal<KernelPlan> plan =
      all_kernels().find("gather_reduce")->read(program, shape, known().context);
  ASSERT_TRUE(plan) << plan.reason();
  const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
  const std::array<TileView, 2> inputs = {positions.view(), rows.view()};
  const TileView output = result.view();
  std::array<int64_t, 3> labels;
  DataFault fault{labels};
  const std::shared_ptr<const PreparedKernel> ready = plan->prepare();
  ASSERT_EQ(ready->run({inputs, {&output, 1}, shape.ranges, false, workspace.view().data, &fault}),
            Status::out_of_range);
  EXPECT_EQ(labels[0], 5);
  EXPECT_EQ(labels[1], 2);
  EXPECT_EQ(fault.operand, 1);
  EXPECT_EQ(fault.position, 4);
  EXPECT_EQ(fault.extent, 4);
}

}  // namespace

}  // namespace tessera::kernels::gather_reduce_kernel_test
