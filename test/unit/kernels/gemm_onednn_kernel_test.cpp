#include <thread>

#include <gtest/gtest.h>

#include "kernels/choice.h"
#include "unit/expr/registries.h"
#include "unit/kernels/summed_product.h"

/// What gemm_onednn takes, leaves to gemm, and how it is run; its results are compared with
/// `reference` by every_kernel_test.cpp.
namespace tessera::kernels::gemm_onednn_kernel_test {

namespace {

TEST(GemmOneDnn, TakesMatricesInEitherOrder) {
  for (const char* const a : {"mk", "km"}) {
    for (const char* const b : {"kn", "nk"}) {
      for (const char* const out : {"mn", "nm"}) {
        const Product product({{'m', 40}, {'n', 50}, {'k', 60}}, a, b, out);
        EXPECT_EQ(product.refusal("gemm_onednn"), "") << a << " " << b << " " << out;
      }
    }
  }
}

TEST(GemmOneDnn, SaysWhyItLeavesAProductToGemm) {
  EXPECT_EQ(Product({{'m', 40}, {'n', 50}, {'k', 60}}, "mk", "kn", "mn", DType::f64)
                .refusal("gemm_onednn"),
            "a factor is f64, not f32");
  EXPECT_EQ(Product({{'m', 40}, {'n', 0}, {'k', 60}}, "mk", "kn", "mn").refusal("gemm_onednn"),
            "a label is empty");
  EXPECT_EQ(Product({{'m', 400}, {'n', 1}, {'k', 600}}, "mk", "kn", "mn").refusal("gemm_onednn"),
            "an operand is a vector");
  EXPECT_EQ(Product({{'m', 16}, {'n', 16}, {'k', 16}}, "mk", "kn", "mn").refusal("gemm_onednn"),
            "at most 4096 products do not pay for entering the library");
  EXPECT_EQ(Product({{'m', 40}, {'n', 50}, {'k', 60}, {'l', 3}}, "mlk", "kn", "mnl")
                .refusal("gemm_onednn"),
            "it is not one batch of matrix products without packing");
  EXPECT_NE(Product({{'b', 4}, {'m', 40}, {'n', 50}, {'k', 60}}, "bmk", "bkn", "mnb")
                .refusal("gemm_onednn"),
            "");
}

TEST(GemmOneDnn, IsChosenWhereTheSecondFactorStaysInTheCache) {
  const auto chosen = [](const Product& product) {
    return choose(product.program, product.shape, known().context).kernel->name;
  };
  EXPECT_EQ(chosen({{{'b', 64}, {'m', 512}, {'n', 64}, {'k', 512}}, "bmk", "bkn", "bmn"}),
            "gemm_onednn");
  EXPECT_EQ(chosen({{{'m', 4000}, {'n', 4000}, {'k', 4000}}, "mk", "kn", "mn"}), "gemm");
  EXPECT_EQ(chosen({{{'m', 40}, {'n', 50}, {'k', 60}}, "mk", "kn", "mn"}), "gemm");
}

TEST(GemmOneDnn, RunsOnceForEachOfManyThreads) {
  constexpr int64_t kSide = 96;
  const Product product({{'m', kSide}, {'n', kSide}, {'k', kSide}}, "mk", "kn", "mn");
  std::mt19937_64 random(1);
  TestTile a(DType::f32, whole({kSide, kSide + 5}));  // more than is read: copied in the call
  TestTile b(DType::f32, whole({kSide, kSide}));
  a.fill(random);
  b.fill(random);
  const std::vector<TileView> inputs = {a.view(), b.view()};
  const Outcome expected =
      run_kernel(*all_kernels().find("reference"), product.program, product.shape, inputs);
  const OrRefusal<KernelPlan> plan =
      all_kernels().find("gemm_onednn")->read(product.program, product.shape, known().context);
  const auto prepared = plan->prepare();
  std::vector<TestTile> results;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    results.emplace_back(DType::f32, whole({kSide, kSide}));
  }
  for (const TestTile& result : results) {
    threads.emplace_back([&] {
      const TestTile workspace(DType::u8, whole({plan->workspace_bytes}));
      const std::vector<TileView> outputs = {result.view()};
      for (int repetition = 0; repetition < 20; ++repetition) {
        (void)prepared->run({inputs, outputs, product.shape.ranges, false, workspace.view().data});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const TestTile& result : results) {
    EXPECT_EQ(first_difference(result, expected.outputs[0]), -1);
  }
}

}  // namespace

}  // namespace tessera::kernels::gemm_onednn_kernel_test
