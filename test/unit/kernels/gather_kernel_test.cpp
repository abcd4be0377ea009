#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// The kernel that gathers, and the one that stages what is gathered, against `reference`.
namespace tessera::kernels::gather_kernel_test {

namespace {

/// A copy of an operand of any type at the elements of one to three tables of any integers, with
/// rows of many widths, parts of larger tiles, and sometimes a position outside.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    static constexpr int64_t kLengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 33, 64, 70};
    const int64_t num_labels = number(1, 3);
    int64_t positions = 1;
    for (int64_t label = 0; label < num_labels; ++label) {
      const int64_t begin = number(0, 3);
      int64_t length = label == 0 && chance(4) ? number(1020, 1100)
                                               : kLengths[number(0, std::size(kLengths) - 1)];
      length = positions * length > 1200 ? number(1, 3) : length;
      positions *= length;
      program.labels.push_back({std::string(1, static_cast<char>('a' + label)), begin + length});
      shape.ranges.push_back({begin, length});
    }
    program.num_inputs = static_cast<int32_t>(number(2, 4));
    expr::ScalarBuilder builder;
    expr::Access copied{program.num_inputs - 1, {}};
    Box box;
    for (int32_t table = 0; table + 1 < program.num_inputs; ++table) {
      copied.index.push_back(expr::GatheredIndex{draw_table(builder, table), draw_boundary()});
      box.origin.push_back(0);
      box.extent.push_back(mode_extent_);
    }
    for (int64_t modes = number(0, 2); modes > 0; --modes) {
      copied.index.push_back(chance(85) ? plain_mode(box) : fixed_mode(box));
    }
    for (size_t mode = 0; mode + 1 < copied.index.size(); ++mode) {
      const auto other = static_cast<size_t>(
          number(static_cast<int64_t>(mode), static_cast<int64_t>(copied.index.size()) - 1));
      std::swap(copied.index[mode], copied.index[other]);
      std::swap(box.origin[mode], box.origin[other]);
      std::swap(box.extent[mode], box.extent[other]);
    }
    const DType dtype =
        all_dtypes()[static_cast<size_t>(number(0, static_cast<int64_t>(all_dtypes().size()) - 1))];
    add_input(dtype, box, -2, 2);
    expr::TileStatement statement;
    statement.bodies = {builder.finish(builder.access(copied, dtype))};
    statement.out.resize(program.labels.size());
    std::iota(statement.out.begin(), statement.out.end(), 0);
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    program.statements.push_back(std::move(statement));
  }

 private:
  int32_t draw_table(expr::ScalarBuilder& builder, int32_t operand) {
    const DType type = integer_type();
    expr::Access access{operand, {}};
    Box box;
    for (int64_t modes = number(1, 2); modes > 0; --modes) {
      access.index.push_back(plain_mode(box));
    }
    mode_extent_ = chance(5) ? 2 : 3;
    add_input(type, box, 0, chance(10) ? 3 : 2);
    return builder.access(access, type);
  }

  expr::Index plain_mode(Box& box) {
    const auto label =
        static_cast<expr::LabelNumber>(number(0, static_cast<int64_t>(program.labels.size()) - 1));
    const LabelRange& range = shape.ranges[static_cast<size_t>(label)];
    box.origin.push_back(range.begin);
    box.extent.push_back(range.length);
    return expr::plain(label);
  }

  expr::Index fixed_mode(Box& box) {
    box.origin.push_back(1);
    box.extent.push_back(number(1, 3));
    return expr::fixed(1);
  }

  expr::Boundary draw_boundary() {
    switch (number(0, 9)) {
      case 0:
        return expr::Edge{};
      case 1:
        return expr::Reflect{};
      case 2:
        return expr::Pad{int64_t{1}};
      default:
        return expr::Inside{};
    }
  }

  /// A tile of the box, or a part of one that reaches farther.
  void add_input(DType dtype, const Box& box, int64_t lowest, int64_t highest) {
    Box around = box;
    if (chance(40)) {
      for (int64_t& extent : around.extent) {
        extent += number(0, 2);
      }
    }
    tiles_.emplace_back(dtype, around);
    tiles_.back().fill(random_, lowest, highest);
    inputs.push_back(subview(tiles_.back().view(), box));
  }

  int64_t mode_extent_ = 3;
};

/// The number that a table has where a fault says it was read.
int64_t number_at(const Draw& draw, const DataFault& fault) {
  const auto& access =
      std::get<expr::Access>(fault.body->nodes[static_cast<size_t>(fault.node)].op);
  const TileView& table = draw.inputs[static_cast<size_t>(access.operand)];
  int64_t offset = 0;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const auto label = static_cast<size_t>(*expr::plain_label(access.index[mode]));
    offset += (fault.labels[label] - table.origin[mode]) * table.strides[mode];
  }
  return visit_storage_type(table.dtype, [&]<class T>(std::type_identity<T>) -> int64_t {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(+table.as<T>()[offset]);
    }
    return 0;
  });
}

/// Runs a kernel once more and looks at what it says of the read that lay outside.
void check_fault(const Kernel& kernel, const Draw& draw, const Context& context) {
  const OrRefusal<KernelPlan> plan = kernel.read(draw.program, draw.shape, context);
  const DType dtype = expr::output_dtypes(draw.program)[0];
  Box box;
  for (const expr::LabelNumber label : draw.program.statements[0].out) {
    box.origin.push_back(draw.shape.ranges[static_cast<size_t>(label)].begin);
    box.extent.push_back(draw.shape.ranges[static_cast<size_t>(label)].length);
  }
  const TestTile output(dtype, box);
  const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
  std::vector<int64_t> labels(draw.program.labels.size());
  DataFault fault{labels};
  const TileView view = output.view();
  const std::shared_ptr<const PreparedKernel> ready = plan->prepare();  // has what the fault names
  ASSERT_EQ(ready->run(
                {draw.inputs, {&view, 1}, draw.shape.ranges, false, workspace.view().data, &fault}),
            Status::out_of_range);
  ASSERT_NE(fault.body, nullptr);
  EXPECT_EQ(fault.position, number_at(draw, fault)) << to_text(draw.program);
  EXPECT_GE(fault.position, fault.extent) << to_text(draw.program);
}

TEST(GatherKernel, AgreesWithTheReferenceOnDrawnTablesAndRows) {
  const Registry& registry = all_kernels();
  Machine machine = known().machine;
  machine.caches.core_bytes = 4096;  // so that what is staged comes in bands
  const Context context{known().functions, known().aggregates, registry, machine};
  int num_runs = 0;
  int num_faults = 0;
  for (uint64_t seed = 0; seed < 600 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    const Outcome expected =
        run_kernel(*registry.find("reference"), draw.program, draw.shape, draw.inputs, context);
    for (const char* const name : {"gather", "staged"}) {
      const Kernel& kernel = *registry.find(name);
      if (!kernel.read(draw.program, draw.shape, context)) {
        continue;
      }
      ++num_runs;
      const Outcome seen = run_kernel(kernel, draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(seen.status, expected.status)
          << name << ", seed " << seed << ": " << to_text(draw.program);
      if (expected.status == Status::ok) {
        ASSERT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1)
            << name << ", seed " << seed << ": " << to_text(draw.program);
      } else {
        ++num_faults;
        check_fault(kernel, draw, context);
      }
    }
  }
  EXPECT_GT(num_runs, 1000 / kOneOfDrawn);
  EXPECT_GT(num_faults, 50 / kOneOfDrawn);
}

}  // namespace

}  // namespace tessera::kernels::gather_kernel_test
