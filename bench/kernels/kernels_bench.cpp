#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "unit/kernels/kernel_runner.h"

/// Times the chosen kernel on about 64 MB of data per operator and prints `name kernel
/// milliseconds` lines, which bench/kernels/beside_numpy.py puts beside numpy in the same run. An
/// argument runs only the names that contain it.
namespace tessera::kernels {

namespace {

/// Builds one statement over labels with given extents.
class Bench {
 public:
  explicit Bench(const std::vector<std::pair<char, int64_t>>& labels) {
    for (const auto& [name, extent] : labels) {
      program.labels.push_back({std::string(1, name), extent});
      shape.ranges.push_back({0, extent});
    }
    program.statements.emplace_back();
    expr::register_all_functions(functions_);
    expr::register_all_aggregates(aggregates_);
  }

  int32_t operand(const std::string& labels, DType dtype) {
    expr::Access access{program.num_inputs++, {}};
    Box box;
    for (const char label : labels) {
      access.index.push_back(expr::plain(number_of(label)));
      box.origin.push_back(0);
      box.extent.push_back(shape.ranges[static_cast<size_t>(number_of(label))].length);
    }
    tiles_.emplace_back(dtype, box);
    std::mt19937_64 random(1);
    tiles_.back().fill(random, 1, 5);
    return builder.access(access, dtype);
  }

  int32_t call(const char* name, std::vector<int32_t> arguments) {
    std::vector<DType> dtypes;
    for (const int32_t argument : arguments) {
      dtypes.push_back(builder.dtype_of(argument));
    }
    const expr::FunctionTypes types = functions_.find(name)->bind(dtypes);
    return builder.call(name, std::move(arguments), types.result);
  }

  void map(const std::string& out, int32_t body) {
    set_out(out);
    statement().bodies.push_back(builder.finish(body));
  }

  void reduce(const std::string& out, const char* aggregate, const std::string& over,
              int32_t body) {
    set_out(out);
    const expr::BoundAggregate bound = aggregates_.find(aggregate)->bind(builder.dtype_of(body));
    for (const char label : over) {
      statement().over.push_back(number_of(label));
    }
    const int32_t position = builder.index_of(number_of(over.back()));
    for (const expr::Scalar& lift : bound.lift) {
      statement().bodies.push_back(builder.finish(builder.inline_scalar(lift, {body, position})));
    }
    statement().reduce = bound.monoid;
  }

  /// The best of several runs of the kernel that the registry chooses.
  void time(const Registry& registry, const char* name) {
    const Kernel& kernel = registry.choose(program, shape);
    const auto prepared = kernel.prepare(program, shape);
    std::vector<TileView> inputs;
    std::vector<TileView> outputs;
    for (const TestTile& tile : tiles_) {
      inputs.push_back(tile.view());
    }
    Shape extents;
    for (const expr::LabelNumber label : statement().out) {
      extents.push_back(shape.ranges[static_cast<size_t>(label)].length);
    }
    std::vector<TestTile> results;
    for (const DType dtype : expr::output_dtypes(program)) {
      results.emplace_back(dtype, whole(extents));
    }
    for (const TestTile& result : results) {
      outputs.push_back(result.view());
    }
    const TestTile workspace(DType::u8, whole({prepared->workspace_bytes()}));
    double best = 1e9;
    for (int repetition = 0; repetition < 4; ++repetition) {
      const auto start = std::chrono::steady_clock::now();
      (void)prepared->run({inputs, outputs, shape.ranges, false, workspace.view().data});
      best = std::min(
          best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("%s %s %.4f %.4f\n", name, kernel.name.c_str(), best * 1e3,
                kernel.cost(program, shape).seconds * 1e3);
    std::fflush(stdout);
  }

  expr::ScalarBuilder builder;
  expr::TileProgram program;
  CallShape shape;

 private:
  expr::LabelNumber number_of(char label) const {
    return expr::find_label(program, std::string(1, label));
  }
  expr::TileStatement& statement() { return program.statements[0]; }
  void set_out(const std::string& out) {
    for (const char label : out) {
      statement().out.push_back(number_of(label));
    }
  }

  expr::FunctionRegistry functions_;
  expr::AggregateRegistry aggregates_;
  std::vector<TestTile> tiles_;
};

struct Case {
  const char* name;
  std::function<void(const Registry&, const char*)> run;
};

constexpr int64_t kSide = 4096;  // 4096 * 4096 f32 = 64 MiB

Case unary(const char* name, const char* function) {
  return {name, [function](const Registry& registry, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            bench.map("ij", bench.call(function, {bench.operand("ij", DType::f32)}));
            bench.time(registry, title);
          }};
}

Case binary(const char* name, const char* function, DType dtype, int64_t side = kSide) {
  return {name, [=](const Registry& registry, const char* title) {
            Bench bench({{'i', side}, {'j', side}});
            const int32_t x = bench.operand("ij", dtype);
            const int32_t y = bench.operand("ij", dtype);
            bench.map("ij", bench.call(function, {x, y}));
            bench.time(registry, title);
          }};
}

Case reduction(const char* name, const char* aggregate, const char* out, const char* over,
               DType dtype = DType::f32) {
  return {name, [=](const Registry& registry, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            bench.reduce(out, aggregate, over, bench.operand("ij", dtype));
            bench.time(registry, title);
          }};
}

Case copy(const char* name, std::vector<std::pair<char, int64_t>> labels, const char* in,
          const char* out) {
  return {name, [=](const Registry& registry, const char* title) {
            Bench bench(labels);
            bench.map(out, bench.operand(in, DType::f32));
            bench.time(registry, title);
          }};
}

Case product(const char* name, std::vector<std::pair<char, int64_t>> labels, const char* a,
             const char* b, const char* out, const char* over, DType dtype,
             const char* join = "multiply", const char* aggregate = "sum") {
  return {name, [=](const Registry& registry, const char* title) {
            Bench bench(labels);
            const int32_t x = bench.operand(a, dtype);
            const int32_t y = bench.operand(b, dtype);
            bench.reduce(out, aggregate, over, bench.call(join, {x, y}));
            bench.time(registry, title);
          }};
}

Case where_less() {
  return {"where", [](const Registry& registry, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t y = bench.operand("ij", DType::f32);
            bench.map("ij", bench.call("where", {bench.call("less", {x, y}), x, y}));
            bench.time(registry, title);
          }};
}

Case shifted_exponential(int64_t rows, const char* name) {
  return {name, [rows](const Registry& registry, const char* title) {
            Bench bench({{'i', rows}, {'j', kSide * kSide / rows}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t m = bench.operand("i", DType::f32);
            bench.map("ij", bench.call("exp", {bench.call("subtract", {x, m})}));
            bench.time(registry, title);
          }};
}

Case row_scale(const char* name) {
  return {name, [](const Registry& registry, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t s = bench.operand("i", DType::f32);
            bench.map("ij", bench.call("divide", {x, s}));
            bench.time(registry, title);
          }};
}

Case row_reduction(const char* name, const char* aggregate, int64_t columns) {
  return {name, [=](const Registry& registry, const char* title) {
            Bench bench({{'i', kSide * kSide / columns}, {'j', columns}});
            bench.reduce("i", aggregate, "j", bench.operand("ij", DType::f32));
            bench.time(registry, title);
          }};
}

/// merge over k of function(x[i, k] - y[j, k]), 1000 of each.
Case distance(const char* name, const char* function, const char* aggregate) {
  return {
      name, [=](const Registry& registry, const char* title) {
        Bench bench({{'i', 1000}, {'j', 1000}, {'k', 1000}});
        const int32_t x = bench.operand("ik", DType::f32);
        const int32_t y = bench.operand("jk", DType::f32);
        bench.reduce("ij", aggregate, "k", bench.call(function, {bench.call("subtract", {x, y})}));
        bench.time(registry, title);
      }};
}

std::vector<Case> all_cases() {
  const std::vector<std::pair<char, int64_t>> square = {{'i', kSide}, {'j', kSide}};
  const auto cube = [](int64_t n) {
    return std::vector<std::pair<char, int64_t>>{{'i', n}, {'j', n}, {'k', n}};
  };
  return {binary("add", "add", DType::f32),
          binary("multiply", "multiply", DType::f32),
          binary("power", "power", DType::f32),
          unary("exp", "exp"),
          unary("tanh", "tanh"),
          where_less(),
          binary("add_f16", "add", DType::f16),
          binary("multiply_c64", "multiply", DType::c64, 2896),
          reduction("sum_columns", "sum", "i", "j"),
          reduction("sum_rows", "sum", "j", "i"),
          reduction("sum_all", "sum", "", "ij"),
          reduction("sum_i32", "sum", "", "ij", DType::i32),
          reduction("max", "max", "i", "j"),
          reduction("mean", "mean", "i", "j"),
          row_reduction("softmax_sum_64", "sum", 64),
          reduction("prod", "prod", "", "ij"),
          reduction("argmax", "argmax", "i", "j"),
          row_reduction("max_rows_of_64", "max", 64),
          shifted_exponential(kSide, "softmax_exp"),
          shifted_exponential(kSide * 64, "softmax_exp_64"),
          row_scale("softmax_divide"),
          copy("transpose", square, "ij", "ji"),
          copy("permute3", {{'i', 256}, {'j', 256}, {'k', 256}}, "ijk", "kij"),
          product("matmul_1000_f32", cube(1000), "ik", "kj", "ij", "k", DType::f32),
          product("matmul_1000_f64", cube(1000), "ik", "kj", "ij", "k", DType::f64),
          product("matmul_4000_f32", cube(4000), "ik", "kj", "ij", "k", DType::f32),
          product("matmul_4000_f64", cube(4000), "ik", "kj", "ij", "k", DType::f64),
          product("batched", {{'b', 4}, {'h', 16}, {'s', 512}, {'t', 512}, {'d', 64}}, "bhsd",
                  "bhtd", "bhst", "d", DType::f32),
          product("min_plus_300", cube(300), "ik", "kj", "ij", "k", DType::f32, "add", "min"),
          product("min_plus_1000", cube(1000), "ik", "kj", "ij", "k", DType::f32, "add", "min"),
          distance("abs_max_1000", "abs", "max"),
          distance("square_sum_1000", "square", "sum"),
          product("matmul_1000_i32", cube(1000), "ik", "kj", "ij", "k", DType::i32)};
}

}  // namespace

}  // namespace tessera::kernels

int main(int argc, char** argv) {
  tessera::kernels::Registry registry;
  tessera::kernels::register_all_kernels(registry);
  const std::string wanted = argc > 1 ? argv[1] : "";
  for (const auto& [name, run] : tessera::kernels::all_cases()) {
    if (std::string(name).find(wanted) != std::string::npos) {
      run(registry, name);
    }
  }
}
