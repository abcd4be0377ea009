#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

// What it computes: every_kernel_test.cpp.

namespace tessera::kernels::grouped_kernel_test {
namespace {

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

CallShape whole_shape(const expr::TileProgram& program) {
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  return shape;
}

const Kernel& grouped() {
  return *all_kernels().find("grouped");
}

std::string segment_sum(const std::string& num_groups) {
  return "[g=" + num_groups + ",e=8,n=1000] (i64,f32) o[g,e] = sum[n] where(in_group(x0[n], " +
         "index(g), " + num_groups + "), x1[n,e], 0.0)";
}

TEST(GroupedKernel, CostsOnePassHoweverManyGroupsThereAre) {
  const auto flops = [](const std::string& num_groups) {
    const expr::TileProgram program = program_of(segment_sum(num_groups));
    return grouped().read(program, whole_shape(program), known().context)->cost.flops;
  };
  EXPECT_EQ(flops("3"), flops("300"));
  const expr::TileProgram program = program_of(segment_sum("300"));
  EXPECT_EQ(choose(program, whole_shape(program), known().context).kernel->name, "grouped");
}

TEST(GroupedKernel, ATileOfTheGroupsMergesItsPartOfTheRows) {
  const expr::TileProgram program = program_of(segment_sum("10"));
  CallShape half = whole_shape(program);
  half.ranges[0] = {5, 5};
  const auto flops = [&](const CallShape& shape) {
    return grouped().read(program, shape, known().context)->cost.flops;
  };
  EXPECT_EQ(flops(half), flops(whole_shape(program)) / 2);
}

TEST(GroupedKernel, SaysWhyAProgramIsNotGrouped) {
  const auto reason = [](const std::string& text) {
    const expr::TileProgram program = program_of(text);
    return refusal(grouped(), program, whole_shape(program));
  };
  EXPECT_EQ(reason("[i=4] (f32) o[i] = x0[i]"), "nothing is reduced");
  EXPECT_EQ(reason("[i=4] (f32) o[] = sum[i] x0[i]"), "elements are not left out by a condition");
  EXPECT_EQ(reason("[i=4] (f32) o[] = sum[i] where(x0[i] > 0.0, x0[i], 0.0)"),
            "no label of the result has to be a value of the elements");
  EXPECT_EQ(reason("[g=2,i=4] (i64,f32) o[g] = sum[i] where(x0[i] == index(g), x1[i], 1.0)"),
            "elements are not left out by a condition");
  EXPECT_EQ(reason("[g=2,i=4] (i64,f16) o[g] = max[i] where(x0[i] == index(g), x1[i], -inf)"),
            "it carries no state of 16 bits");
  EXPECT_EQ(reason("[g=2,h=2,i=4] (i64,f32) o[g,h] = sum[i] where(logical_and(x0[i] == index(g), "
                   "x0[i] + index(g) == index(h)), x1[i], 0.0)"),
            "a group depends on a group");
}

/// Tiles of what a program reads, from 0 on, with numbers from 0 to 4.
std::vector<TestTile> tiles_of(const expr::TileProgram& program) {
  std::vector<std::optional<TestTile>> tiles(static_cast<size_t>(program.num_inputs));
  std::mt19937_64 random(3);
  expr::for_each_access(program, [&](const expr::Access& access, DType dtype) {
    Box box;
    for (const expr::Index& index : access.index) {
      int64_t extent = expr::offset_of(index) + 1;
      expr::for_each_term(index, [&](expr::LabelNumber label, int64_t coefficient) {
        extent += coefficient * (program.labels[static_cast<size_t>(label)].extent - 1);
      });
      box.origin.push_back(0);
      box.extent.push_back(std::max<int64_t>(extent, 5));
    }
    tiles[static_cast<size_t>(access.operand)].emplace(dtype, box).fill(random, 0, 4);
  });
  std::vector<TestTile> made;
  for (std::optional<TestTile>& tile : tiles) {
    made.push_back(std::move(*tile));
  }
  return made;
}

/// Groups and elements that are merged as they lie, beside the reference: constants, gathered and
/// strided elements, means, groups by two numbers, and a part of the groups.
TEST(GroupedKernel, MergesWhatIsStoredAsTheReferenceDoes) {
  const std::string ends[] = {
      "(u8) o[v] = sum[n] where(in_group(i64(x0[n]), index(v), 6), 1:i64, 0:i64)",
      "(i32,f32) o[v] = max[n] where(in_group(i64(x0[n]), index(v), 6), x1[n], -inf:f32)",
      "(i64,f64) o[v] = sum[n] where(in_group(x0[n], index(v), 6), x1[2*n], 0.0)",
      "(i64,i32,f64) o[v] = sum[n] where(in_group(x0[n], index(v), 6), x2[x1[n]], 0.0)",
      "(i64,i64) o[v] = sum[n] where(in_group(x0[x1[n]], index(v), 6), 2:i64, 0:i64)",
      "(u8,i16,f64) o[v,w] = sum[n] where(logical_and(in_group(i64(x0[n]), index(v), 6), "
      "in_group(i64(x1[n]), index(w), 5)), x2[n], 0.0)",
      "(i32,f64) (o,c)[v] = mean[n] (where(in_group(i64(x0[n]), index(v), 6), x1[n], 0.0), "
      "where(in_group(i64(x0[n]), index(v), 6), 1:i64, 0:i64))"};
  for (const std::string& end : ends) {
    const expr::TileProgram program = program_of("[v=6,n=2500,w=5] " + end);
    const std::vector<TestTile> tiles = tiles_of(program);
    std::vector<TileView> inputs;
    for (const TestTile& tile : tiles) {
      inputs.push_back(tile.view());
    }
    for (const LabelRange groups : {LabelRange{0, 6}, LabelRange{2, 2}}) {
      CallShape shape = whole_shape(program);
      shape.ranges[0] = groups;
      ASSERT_EQ(refusal(grouped(), program, shape), "") << end;
      const Kernel& reference = *all_kernels().find("reference");
      const Outcome expected = run_kernel(reference, program, shape, inputs);
      const Outcome seen = run_kernel(grouped(), program, shape, inputs);
      ASSERT_EQ(expected.status, Status::ok) << end;
      ASSERT_EQ(seen.status, Status::ok) << end;
      for (size_t output = 0; output < seen.outputs.size(); ++output) {
        EXPECT_EQ(first_difference(seen.outputs[output], expected.outputs[output]), -1) << end;
      }
    }
  }
}

TEST(GroupedKernel, ReportsAGroupThatThereIsNot) {
  const expr::TileProgram program = program_of(
      "[g=3,n=4] (i64,f32) o[g] = sum[n] where(in_group(x0[n], index(g), 3), x1[n], 0.0)");
  CallShape shape = whole_shape(program);
  const auto status = [&](std::vector<int64_t> groups) {
    TestTile numbers(DType::i64, Box{{0}, {4}});
    std::copy(groups.begin(), groups.end(), numbers.view().as<int64_t>());
    const TestTile values(DType::f32, Box{{0}, {4}});
    return run_kernel(grouped(), program, shape, {numbers.view(), values.view()}).status;
  };
  EXPECT_EQ(status({0, 2, 1, 2}), Status::ok);
  EXPECT_EQ(status({0, 3, 1, 2}), Status::no_such_group);
  EXPECT_EQ(status({0, 2, -1, 2}), Status::no_such_group);
  shape.ranges[0] = {1, 1};  // of other tiles of the groups: they exist
  EXPECT_EQ(status({0, 2, 1, 2}), Status::ok);
  EXPECT_EQ(status({0, 2, 1, 3}), Status::no_such_group);
}

}  // namespace
}  // namespace tessera::kernels::grouped_kernel_test
