#!/usr/bin/python3
"""Writes a new kernel and its test: tools/new_kernel.py NAME [--folder FAMILY]."""
import new_file

KERNEL = """\
#include "kernels/context.h"
#include "kernels/registry.h"

namespace tessera::kernels::kernel_$name {

namespace {

// Source: where the method comes from.

// Everything that takes memory or time is done when it is made, before the run.
class $Type : public PreparedKernel {
 public:
  Status run(const KernelCall&) const noexcept override { return Status::ok; }
};

// Work and traffic of one call; seconds are what the choice of a kernel compares.
Cost cost_of(const expr::TileProgram& program, const CallShape& shape, const KernelRates& rates) {
  double elements = 1;
  for (const LabelRange& range : shape.ranges) {
    elements *= static_cast<double>(range.length);
  }
  Cost cost;
  cost.flops = elements;
  cost.bytes = elements * program.num_inputs;
  cost.seconds = rates.call_seconds + cost.bytes / rates.bytes_per_second;
  return cost;
}

// Reads the program once: a plan, or the reason in words why there is none.
OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  return Refusal{"it is not written yet"};  // instead: what it refuses, in the words of EXPLAIN
  return KernelPlan{cost_of(program, shape, context.machine.rates), 0,
                    [] { return std::make_shared<const $Type>(); }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({.name = "$name", .takes = {}, .reader = &read});
}

}  // namespace tessera::kernels::kernel_$name
"""

TEST = """\
#include <gtest/gtest.h>

#include "unit/kernels/kernel_runner.h"

// That its results are the reference's is tested for every registered kernel at once; here stands what only this
// kernel promises: what it refuses and in which words.

namespace tessera::kernels::${name}_kernel_test {

namespace {

TEST(${Type}Kernel, RefusesSeveralStatements) {
  const Kernel* kernel = all_kernels().find("$name");
  ASSERT_NE(kernel, nullptr);
  expr::TileProgram program;
  program.statements.resize(2);
  EXPECT_EQ(refusal(*kernel, program, CallShape{}), "it runs one statement, the program has 2");
}

}  // namespace

}  // namespace tessera::kernels::${name}_kernel_test
"""

if __name__ == "__main__":
    new_file.main("kernel", "_kernel", {
        "src/kernels/cpu/$folder/${name}_kernel.cpp": KERNEL,
        "test/unit/kernels/${name}_kernel_test.cpp": TEST,
    }, folder="the family of kernels below src/kernels/cpu/")
