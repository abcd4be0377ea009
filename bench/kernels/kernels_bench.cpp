#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "expr/text/text.h"
#include "kernels/choice.h"
#include "kernels/cpu/fused/statements.h"
#include "unit/kernels/kernel_runner.h"

/// Times the chosen kernel on about 64 MB of data per operator and prints `name kernel
/// milliseconds predicted` lines, which bench/kernels/beside_numpy.py puts beside numpy in the same
/// run. An argument runs only the names that contain it.
namespace tessera::kernels {

namespace {

/// Of this thread on a processor, so that a shared machine disturbs less.
double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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
    std::vector<expr::LabelNumber> labels;
    for (const char label : over) {
      labels.push_back(number_of(label));
    }
    const int32_t position = builder.index_of(number_of(over.back()));
    for (const expr::Scalar& lift : bound.lift) {
      statement().bodies.push_back(builder.finish(builder.inline_scalar(lift, {body, position})));
    }
    statement().what = expr::Reduce{bound.monoid, std::move(labels)};
  }

  /// The best of several runs of the kernel that is chosen.
  void time(const Context& context, const char* name) {
    const Choice choice = choose(program, shape, context);
    const auto prepared = choice.plan.prepare();
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
    const TestTile workspace(DType::u8, whole({choice.plan.workspace_bytes}));
    double best = 1e9;
    for (int repetition = 0; repetition < 4; ++repetition) {
      const double start = seconds_now();
      (void)prepared->run({inputs, outputs, shape.ranges, false, workspace.view().data});
      best = std::min(best, seconds_now() - start);
    }
    std::printf("%s %s %.4f %.4f\n", name, choice.kernel->name.c_str(), best * 1e3,
                choice.plan.cost.seconds * 1e3);
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

TestTile tile_of(const expr::TileProgram& program, const expr::Access& access, DType dtype) {
  Shape extents;
  for (const expr::Index& index : access.index) {
    extents.push_back(program.labels[static_cast<size_t>(*expr::plain_label(index))].extent);
  }
  TestTile tile(dtype, whole(extents));
  std::mt19937_64 random(1);
  tile.fill(random, 1, 5);
  return tile;
}

/// A program of several statements, run as one call, or statement after statement with every result
/// in a tile of its own. Everything is read plainly.
class ProgramBench {
 public:
  explicit ProgramBench(const char* text) {
    expr::FunctionRegistry functions;
    expr::AggregateRegistry aggregates;
    expr::register_all_functions(functions);
    expr::register_all_aggregates(aggregates);
    program_ = expr::parse_program({"bench", text}, {}, {aggregates, {}}, functions);
    for (const expr::LabelDecl& label : program_.labels) {
      shape_.ranges.push_back({0, label.extent});
    }
    parts_ = split_statements(program_);
    make_tiles();
  }

  void time(const Context& context, const char* name, bool is_fused) {
    std::vector<Call> calls;
    if (is_fused) {
      std::vector<int32_t> inputs(static_cast<size_t>(program_.num_inputs));
      std::iota(inputs.begin(), inputs.end(), 0);
      calls.push_back(call_of(context, program_, shape_, inputs, tiles_.back().view()));
    } else {
      for (const StatementPart& part : parts_) {
        calls.push_back(call_of(context, part.program, shape_of_part(part, shape_.ranges, false),
                                part.operands,
                                tiles_[static_cast<size_t>(part.first_result)].view()));
      }
    }
    double best = 1e9;
    double predicted = 0;
    for (int repetition = 0; repetition < 4; ++repetition) {
      const double start = seconds_now();
      for (const Call& call : calls) {
        (void)call.kernel->run(
            {call.inputs, {&call.output, 1}, call.shape.ranges, false, call.workspace.view().data});
      }
      best = std::min(best, seconds_now() - start);
    }
    for (const Call& call : calls) {
      predicted += call.predicted;
    }
    std::printf("%s %s %.4f %.4f\n", name, is_fused ? "fused" : "apart", best * 1e3,
                predicted * 1e3);
    std::fflush(stdout);
  }

 private:
  struct Call {
    std::shared_ptr<const PreparedKernel> kernel;
    CallShape shape;
    std::vector<TileView> inputs;
    TileView output;
    TestTile workspace;
    double predicted;
  };

  void make_tiles() {
    std::map<int32_t, TestTile> inputs;
    for (const expr::TileStatement& statement : program_.statements) {
      for (const expr::Node& node : statement.bodies[0].nodes) {
        if (const auto* access = std::get_if<expr::Access>(&node.op);
            access != nullptr && access->operand < program_.num_inputs) {
          inputs.emplace(access->operand, tile_of(program_, *access, node.dtype));
        }
      }
    }
    for (auto& [operand, tile] : inputs) {
      tiles_.push_back(std::move(tile));
    }
    for (const expr::TileStatement& statement : program_.statements) {
      Shape extents;
      for (const expr::LabelNumber label : statement.out) {
        extents.push_back(program_.labels[static_cast<size_t>(label)].extent);
      }
      tiles_.emplace_back(statement.bodies[0].dtype(), whole(extents));
    }
  }

  Call call_of(const Context& context, const expr::TileProgram& program, const CallShape& shape,
               const std::vector<int32_t>& operands, const TileView& output) const {
    const KernelPlan plan = choose(program, shape, context).plan;
    std::vector<TileView> inputs;
    for (const int32_t operand : operands) {
      inputs.push_back(tiles_[static_cast<size_t>(operand)].view());
    }
    TestTile workspace(DType::u8, whole({plan.workspace_bytes + 64}));
    return {plan.prepare(),   shape, std::move(inputs), output, std::move(workspace),
            plan.cost.seconds};
  }

  expr::TileProgram program_;
  CallShape shape_;
  std::vector<StatementPart> parts_;
  std::vector<TestTile> tiles_;  // by operand
};

struct Case {
  const char* name;
  std::function<void(const Context&, const char*)> run;
};

constexpr int64_t kSide = 4096;  // 4096 * 4096 f32 = 64 MiB

Case unary(const char* name, const char* function) {
  return {name, [function](const Context& context, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            bench.map("ij", bench.call(function, {bench.operand("ij", DType::f32)}));
            bench.time(context, title);
          }};
}

Case binary(const char* name, const char* function, DType dtype, int64_t side = kSide) {
  return {name, [=](const Context& context, const char* title) {
            Bench bench({{'i', side}, {'j', side}});
            const int32_t x = bench.operand("ij", dtype);
            const int32_t y = bench.operand("ij", dtype);
            bench.map("ij", bench.call(function, {x, y}));
            bench.time(context, title);
          }};
}

Case reduction(const char* name, const char* aggregate, const char* out, const char* over,
               DType dtype = DType::f32) {
  return {name, [=](const Context& context, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            bench.reduce(out, aggregate, over, bench.operand("ij", dtype));
            bench.time(context, title);
          }};
}

Case copy(const char* name, std::vector<std::pair<char, int64_t>> labels, const char* in,
          const char* out) {
  return {name, [=](const Context& context, const char* title) {
            Bench bench(labels);
            bench.map(out, bench.operand(in, DType::f32));
            bench.time(context, title);
          }};
}

Case product(const char* name, std::vector<std::pair<char, int64_t>> labels, const char* a,
             const char* b, const char* out, const char* over, DType dtype,
             const char* join = "multiply", const char* aggregate = "sum") {
  return {name, [=](const Context& context, const char* title) {
            Bench bench(labels);
            const int32_t x = bench.operand(a, dtype);
            const int32_t y = bench.operand(b, dtype);
            bench.reduce(out, aggregate, over, bench.call(join, {x, y}));
            bench.time(context, title);
          }};
}

Case where_less() {
  return {"where", [](const Context& context, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t y = bench.operand("ij", DType::f32);
            bench.map("ij", bench.call("where", {bench.call("less", {x, y}), x, y}));
            bench.time(context, title);
          }};
}

Case shifted_exponential(int64_t rows, const char* name) {
  return {name, [rows](const Context& context, const char* title) {
            Bench bench({{'i', rows}, {'j', kSide * kSide / rows}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t m = bench.operand("i", DType::f32);
            bench.map("ij", bench.call("exp", {bench.call("subtract", {x, m})}));
            bench.time(context, title);
          }};
}

Case row_scale(const char* name) {
  return {name, [](const Context& context, const char* title) {
            Bench bench({{'i', kSide}, {'j', kSide}});
            const int32_t x = bench.operand("ij", DType::f32);
            const int32_t s = bench.operand("i", DType::f32);
            bench.map("ij", bench.call("divide", {x, s}));
            bench.time(context, title);
          }};
}

Case row_reduction(const char* name, const char* aggregate, int64_t columns) {
  return {name, [=](const Context& context, const char* title) {
            Bench bench({{'i', kSide * kSide / columns}, {'j', columns}});
            bench.reduce("i", aggregate, "j", bench.operand("ij", DType::f32));
            bench.time(context, title);
          }};
}

/// merge over k of function(x[i, k] - y[j, k]), times weights of those labels, 1000 of each.
Case distance(const char* name, const char* function, const char* aggregate,
              DType dtype = DType::f32, const char* weights = nullptr) {
  return {name, [=](const Context& context, const char* title) {
            Bench bench({{'i', 1000}, {'j', 1000}, {'k', 1000}});
            const int32_t x = bench.operand("ik", dtype);
            const int32_t y = bench.operand("jk", dtype);
            int32_t joined = bench.call(function, {bench.call("subtract", {x, y})});
            if (weights != nullptr) {
              joined = bench.call("multiply", {bench.operand(weights, dtype), joined});
            }
            bench.reduce("ij", aggregate, "k", joined);
            bench.time(context, title);
          }};
}

Case program(const char* name, const char* text, bool is_fused) {
  return {name, [=](const Context& context, const char* title) {
            ProgramBench(text).time(context, title, is_fused);
          }};
}

constexpr const char* kSoftmax =
    "[i=8192,j=8192] (f32) t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]);"
    " t2[i] = sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]";
constexpr const char* kLayerNorm =
    "[i=8192,j=4096] (f32,f32,f32) t0[i] = sum[j] x0[i,j];"
    " t1[i,j] = x0[i,j] - t0[i] / 4096; t2[i] = sum[j] square(t1[i,j]);"
    " o[i,j] = t1[i,j] * rsqrt(t2[i] / 4096 + 1e-5) * x1[j] + x2[j]";
constexpr const char* kAttention =
    "[h=8,s=2048,t=2048,d=64] (f32,f32,f32) t0[h,s,t] = sum[d] x0[h,s,d] * x1[h,t,d];"
    " t1[h,s] = max[t] t0[h,s,t]; t2[h,s,t] = exp((t0[h,s,t] - t1[h,s]) * 0.125);"
    " t3[h,s] = sum[t] t2[h,s,t]; t4[h,s,t] = t2[h,s,t] / t3[h,s];"
    " o[h,s,d] = sum[t] t4[h,s,t] * x2[h,t,d]";
constexpr const char* kActivated =
    "[i=4096,j=4096,k=64] (f32,f32) t0[i,j] = sum[k] x0[i,k] * x1[k,j]; o[i,j] = tanh(t0[i,j])";
constexpr const char* kActivatedLong =
    "[i=4000,j=4000,k=1000] (f32,f32) t0[i,j] = sum[k] x0[i,k] * x1[k,j];"
    " o[i,j] = tanh(t0[i,j])";

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
          row_reduction("sum_rows_of_256", "sum", 256),
          row_reduction("max_rows_of_256", "max", 256),
          row_reduction("mean_rows_of_256", "mean", 256),
          row_reduction("sum_rows_of_1000", "sum", 1000),
          row_reduction("max_rows_of_1000", "max", 1000),
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
          distance("square_sum_1000_f64", "square", "sum", DType::f64),
          distance("weighted_square_sum_1000", "square", "sum", DType::f32, "k"),
          distance("weighted_abs_max_1000", "abs", "max", DType::f32, "ik"),
          product("max_plus_1000_f64", cube(1000), "ik", "kj", "ij", "k", DType::f64, "add", "max"),
          product("logsumexp_plus_1000", cube(1000), "ik", "kj", "ij", "k", DType::f32, "add",
                  "logsumexp"),
          product("logsumexp_plus_1000_f64", cube(1000), "ik", "kj", "ij", "k", DType::f64, "add",
                  "logsumexp"),
          product("matmul_1000_i32", cube(1000), "ik", "kj", "ij", "k", DType::i32),
          program("softmax_8192", kSoftmax, true),
          program("softmax_8192_apart", kSoftmax, false),
          program("layer_norm", kLayerNorm, true),
          program("layer_norm_apart", kLayerNorm, false),
          program("attention_2048", kAttention, true),
          program("attention_2048_apart", kAttention, false),
          program("tanh_matmul_64", kActivated, true),
          program("tanh_matmul_64_apart", kActivated, false),
          program("tanh_matmul_1000", kActivatedLong, true),
          program("tanh_matmul_1000_apart", kActivatedLong, false)};
}

}  // namespace

}  // namespace tessera::kernels

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  for (const auto& [name, run] : tessera::kernels::all_cases()) {
    if (std::string(name).find(wanted) != std::string::npos) {
      run(tessera::known().context, name);
    }
  }
}
