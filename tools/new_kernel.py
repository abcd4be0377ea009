#!/usr/bin/python3
"""Writes a new kernel and its test: tools/new_kernel.py NAME [--folder FAMILY]."""
import new_file

KERNEL = """\
#include "kernels/registry.h"

namespace tessera::kernels {

namespace {

// Source: where the method comes from.

// Empty where the kernel can run the program, else the reason in words that EXPLAIN prints.
std::string refuses(const expr::TileProgram& program, const CallShape& shape) {
  if (program.statements.size() != 1 || shape.accumulate) {
    return "it runs one statement, without accumulating";
  }
  return "it is not written yet";
}

// Work and traffic of one call; seconds are what the choice of a kernel compares.
Cost cost(const expr::TileProgram& program, const CallShape& shape) {
  double elements = 1;
  for (const LabelRange& range : shape.ranges) {
    elements *= static_cast<double>(range.length);
  }
  return {.flops = elements, .bytes = elements * program.num_inputs, .seconds = elements * 1e-9};
}

// Everything that takes memory or time is done here, before the run.
class $Type : public PreparedKernel {
 public:
  Status run(const KernelCall&) const noexcept override { return Status::ok; }
};

std::unique_ptr<PreparedKernel> prepare(const expr::TileProgram&, const CallShape&) {
  return std::make_unique<$Type>();
}

}  // namespace

void register_kernel_${name}(Registry& registry) {
  registry.add({.name = "$name", .refuses = &refuses, .cost = &cost, .prepare = &prepare});
}

}  // namespace tessera::kernels
"""

TEST = """\
#include <gtest/gtest.h>

#include "kernels/registry.h"

// That its results are the reference's is tested for every registered kernel at once; here stands what only this
// kernel promises: what it refuses and in which words.

namespace tessera::kernels {

namespace {

TEST(${Type}Kernel, RefusesSeveralStatements) {
  Registry registry;
  register_all_kernels(registry);
  const Kernel* kernel = registry.find("$name");
  ASSERT_NE(kernel, nullptr);
  EXPECT_NE(kernel->refuses(expr::TileProgram{}, CallShape{}), "");
}

}  // namespace

}  // namespace tessera::kernels
"""

if __name__ == "__main__":
    new_file.main("kernel", "_kernel", {
        "src/kernels/cpu/$folder/${name}_kernel.cpp": KERNEL,
        "test/unit/kernels/${name}_kernel_test.cpp": TEST,
    }, folder="the family of kernels below src/kernels/cpu/")
