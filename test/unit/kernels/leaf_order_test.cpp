#include "kernels/leaf_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/reduction_order.h"
#include "expr/text/text.h"
#include "kernels/choice.h"
#include "kernels/cpu/walk/gemm_labels.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Kernels that keep the order of leaves, against `reference` and against themselves on pieces: to
/// the bit, on numbers whose sums round.
namespace tessera::kernels::leaf_order_test {

namespace {

void fill_with_any_numbers(TestTile& tile, std::mt19937_64& random) {
  visit_storage_type(tile.view().dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::normal_distribution<double> normal;
    for (int64_t element = 0; element < tile.count(); ++element) {
      if constexpr (std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        using Part = typename T::value_type;
        tile.view().as<T>()[element] = {static_cast<Part>(normal(random)),
                                        static_cast<Part>(normal(random))};
      } else {
        tile.view().as<T>()[element] = T(static_cast<float>(normal(random)));
      }
    }
  });
}

/// Whether two outputs are the same to the bit, any NaN being any other.
bool same_bits(const TestTile& a, const TestTile& b) {
  return first_difference(a, b) == -1 && visit_storage_type(a.view().dtype, [&](auto tag) {
           using T = typename decltype(tag)::type;
           if constexpr (std::is_floating_point_v<T>) {
             return std::equal(
                 a.view().as<T>(), a.view().as<T>() + a.count(), b.view().as<T>(),
                 [](T x, T y) { return std::signbit(x) == std::signbit(y) || x != x; });
           } else {
             return true;
           }
         });
}

/// A reduction with a leaf, its call and its inputs, drawn from a seed. Its functions round as
/// IEEE 754 says, so they are the same on every instruction set.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    is_product_ = chance(50);
    draw_labels();
    draw_statement();
  }

 private:
  void draw_labels() {
    static constexpr int64_t kExtents[] = {1, 2, 3, 5, 8, 17, 31, 32, 33, 64, 65, 100, 257, 700};
    expr::TileStatement& statement = program.statements.emplace_back();
    const int64_t num_labels = number(is_product_ ? 3 : 1, 4);
    int64_t positions = 1;
    for (int64_t number_of = 0; number_of < num_labels; ++number_of) {
      const auto label = static_cast<expr::LabelNumber>(number_of);
      int64_t length = chance(2) ? 0 : kExtents[number(0, std::size(kExtents) - 1)];
      length = positions * length > 12000 ? number(1, 4) : length;
      positions *= std::max<int64_t>(length, 1);
      program.labels.push_back({std::string(1, static_cast<char>('a' + label)), length});
      shape.ranges.push_back({0, length});
      const bool is_reduced = is_product_ ? number_of >= 2 && (number_of == 2 || chance(60))
                                          : number_of == 0 || chance(50);
      (is_reduced ? over_ : statement.out).push_back(label);
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    std::shuffle(over_.begin(), over_.end(), random_);
    // Short leaves too, so that there are many of them.
    leaf_ = chance(30)
                ? expr::leaf_of(program.labels, over_)
                : expr::Leaf{
                      over_[static_cast<size_t>(number(0, static_cast<int64_t>(over_.size()) - 1))],
                      int64_t{1} << number(0, 6)};
  }

  int32_t draw_access(expr::ScalarBuilder& builder, DType dtype,
                      std::vector<expr::LabelNumber> labels) {
    if (chance(50)) {
      std::shuffle(labels.begin(), labels.end(), random_);
    }
    expr::Access access{program.num_inputs++, {}};
    Box inside;
    Box around;
    for (const expr::LabelNumber label : labels) {
      const int64_t length = shape.ranges[static_cast<size_t>(label)].length;
      access.index.push_back(expr::plain(label));
      inside.origin.push_back(0);
      inside.extent.push_back(length);
      around.origin.push_back(0);
      around.extent.push_back(length + (chance(30) ? number(0, 2) : 0));
    }
    tiles_.emplace_back(dtype, around);
    fill_with_any_numbers(tiles_.back(), random_);
    inputs.push_back(subview(tiles_.back().view(), inside));
    return builder.access(access, dtype);
  }

  /// All labels of the statement but those that one is left out of.
  std::vector<expr::LabelNumber> some_labels(int64_t percent) {
    std::vector<expr::LabelNumber> labels;
    for (size_t label = 0; label < program.labels.size(); ++label) {
      if (chance(percent)) {
        labels.push_back(static_cast<expr::LabelNumber>(label));
      }
    }
    return labels;
  }

  void draw_statement() {
    static constexpr DType kTypes[] = {DType::f32, DType::f32, DType::f64,
                                       DType::f64, DType::f16, DType::c64};
    const DType dtype = kTypes[number(0, std::size(kTypes) - 1)];
    expr::TileStatement& statement = program.statements[0];
    expr::ScalarBuilder builder;
    int32_t body = 0;
    const char* name = "sum";
    if (is_product_) {
      std::vector<expr::LabelNumber> in_a = over_;
      std::vector<expr::LabelNumber> in_b = over_;
      for (size_t kept = 0; kept < statement.out.size(); ++kept) {
        const int64_t kind = kept < 2 ? static_cast<int64_t>(kept) : number(0, 2);
        for (auto* labels : {&in_a, &in_b}) {
          if (kind == 2 || (labels == &in_a) == (kind == 0)) {
            labels->push_back(statement.out[kept]);
          }
        }
      }
      body = call(builder, "multiply",
                  {draw_access(builder, dtype, in_a), draw_access(builder, dtype, in_b)});
    } else {
      body = draw_access(builder, dtype, some_labels(85));
      static constexpr const char* kFunctions[] = {"add", "multiply", "subtract"};
      for (int64_t step = number(0, 2); step > 0; --step) {
        body = call(builder, kFunctions[number(0, 2)],
                    {body, draw_access(builder, dtype, some_labels(60))});
      }
      name = chance(70) ? "sum" : chance(50) ? "mean" : "prod";
    }
    reduce(statement, over_, builder, name, body, builder.index_of(over_[0]));
    std::get<expr::Reduce>(statement.what).leaf = leaf_;
  }

  bool is_product_ = false;
  std::vector<expr::LabelNumber> over_;
  expr::Leaf leaf_;
};

TEST(LeafOrder, KernelsThatKeepItGiveTheBitsOfTheReference) {
  const Registry& registry = all_kernels();
  std::map<std::string, int> num_runs;
  int num_changed = 0;
  for (uint64_t seed = 0; seed < 1200 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    const Kernel& reference = *registry.find("reference");
    const Outcome expected = run_kernel(reference, draw.program, draw.shape, draw.inputs);
    expr::TileProgram without_leaf = draw.program;
    std::get<expr::Reduce>(without_leaf.statements[0].what).leaf.reset();
    const Outcome in_sequence = run_kernel(reference, without_leaf, draw.shape, draw.inputs);
    num_changed += same_bits(expected.outputs[0], in_sequence.outputs[0]) ? 0 : 1;
    for (const Kernel& kernel : registry.all()) {
      if (kernel.name == "reference" || !refusal(kernel, draw.program, draw.shape).empty()) {
        continue;
      }
      ++num_runs[kernel.name];
      const Outcome outcome = run_kernel(kernel, draw.program, draw.shape, draw.inputs);
      ASSERT_EQ(outcome.status, expected.status) << kernel.name << ", seed " << seed;
      for (size_t output = 0; output < expected.outputs.size(); ++output) {
        ASSERT_TRUE(same_bits(outcome.outputs[output], expected.outputs[output]))
            << kernel.name << ", seed " << seed << ", output " << output << ": "
            << to_text(draw.program);
      }
    }
  }
  EXPECT_GT(num_changed, 300 / kOneOfDrawn) << "the drawn sums hardly depend on their order";
  for (const Kernel& kernel : registry.all()) {
    const bool runs_alone = kernel.takes.leaves && !kernel.takes.other_kernels;
    EXPECT_TRUE(kernel.name == "reference" || !runs_alone ||
                num_runs[kernel.name] >= 100 / kOneOfDrawn)
        << kernel.name << " ran too rarely to be tested";
  }
}

/// Two rows of results and more columns than a block of lanes has, whose sums round.
TEST(LeafOrder, StatementsThatRunTogetherKeepTheirLeaves) {
  const expr::TileProgram program = expr::parse_program(
      {"test",
       "[i=7,j=700,k=65] (f32,f32) t0[i,k] = sum[j; leaf j=64] x0[i,j] * x1[j,k]; (t1,t2)[i] = "
       "mean[k; leaf k=32] (t0[i,k], 1:i64); o[i,k] = t0[i,k] - t1[i] / f32(t2[i])"},
      {}, {expr::all_aggregates(), {}}, expr::all_functions());
  const CallShape shape{{{0, 7}, {0, 700}, {0, 65}}};
  std::mt19937_64 random(5);
  const TestTile a(DType::f32, whole({7, 700}));
  const TestTile b(DType::f32, whole({700, 65}));
  std::vector<TileView> inputs = {a.view(), b.view()};
  for (const TestTile* tile : {&a, &b}) {
    std::normal_distribution<float> normal;
    std::generate_n(tile->view().as<float>(), tile->count(), [&] { return normal(random); });
  }
  const Registry& registry = all_kernels();
  const Outcome fused = run_kernel(*registry.find("fused"), program, shape, inputs);
  const Outcome expected = run_kernel(*registry.find("reference"), program, shape, inputs);
  EXPECT_TRUE(same_bits(fused.outputs[0], expected.outputs[0]));
}

/// Leaves of copies have the order of the statement that is copied for.
TEST(LeafOrder, StatementsThatReadCopiesKeepTheirLeaves) {
  const Registry& registry = all_kernels();
  const CallShape shape{{{0, 3}, {0, 5}, {0, 700}}};
  std::mt19937_64 random(7);
  TestTile table(DType::i64, whole({3}));
  table.fill(random, 0, 2);
  TestTile a(DType::f32, whole({3, 700}));
  TestTile b(DType::f32, whole({700, 5}));
  fill_with_any_numbers(a, random);
  fill_with_any_numbers(b, random);
  const std::vector<TileView> inputs = {table.view(), a.view(), b.view()};
  for (const char* const body :
       {"x1[x0[i],k] * x2[k,j]", "x1[i,remainder(index(k) + 3, 700)] * x2[k,j]",
        "(x1[x0[i],k] + 1) * x2[k,j]", "x1[i-1 edge,k] * x2[k,j]"}) {
    const expr::TileProgram program = expr::parse_program(
        {"test", std::string("[i=3,j=5,k=700] (i64,f32,f32) o[i,j] = sum[k; leaf k=64] ") + body},
        {}, {expr::all_aggregates(), {}}, expr::all_functions());
    const Outcome staged = run_kernel(*registry.find("staged"), program, shape, inputs);
    const Outcome expected = run_kernel(*registry.find("reference"), program, shape, inputs);
    EXPECT_TRUE(same_bits(staged.outputs[0], expected.outputs[0])) << body;
  }
}

/// The results of a program on the part [begin, begin + length) of its leaf's label.
Outcome run_piece(const Kernel& kernel, const Draw& draw, int64_t begin, int64_t length) {
  CallShape shape = draw.shape;
  shape.ranges[static_cast<size_t>(expr::stated_leaf(draw.program.statements[0])->label)] = {
      begin, length};
  return run_kernel(kernel, draw.program, shape, draw.inputs);
}

/// right into left.
void merge(const Registry& registry, const Draw& draw, Outcome& left, const Outcome& right) {
  std::vector<expr::LabelDecl> labels;
  CallShape shape;
  for (const expr::LabelNumber label : draw.program.statements[0].out) {
    labels.push_back(draw.program.labels[static_cast<size_t>(label)]);
    shape.ranges.push_back(draw.shape.ranges[static_cast<size_t>(label)]);
  }
  const expr::TileProgram combine =
      expr::combine_program(*expr::monoid_of(draw.program.statements[0]), labels);
  std::vector<TileView> states;
  for (const Outcome* side : {static_cast<const Outcome*>(&left), &right}) {
    for (const TestTile& state : side->outputs) {
      states.push_back(state.view());
    }
  }
  left = run_kernel(*registry.find("reference"), combine, shape, states);
}

TEST(LeafOrder, PiecesBetweenSubtreesMergeToTheBitsOfTheWhole) {
  const Registry& registry = all_kernels();
  int num_cut = 0;
  for (uint64_t seed = 0; seed < 1000 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    const expr::Leaf leaf = *expr::stated_leaf(draw.program.statements[0]);
    const int64_t length = draw.shape.ranges[static_cast<size_t>(leaf.label)].length;
    const int64_t piece = leaf.length << (seed % 3);
    const bool has_state = std::none_of(draw.shape.ranges.begin(), draw.shape.ranges.end(),
                                        [](const LabelRange& range) { return range.length == 0; });
    if (length <= piece || !has_state) {
      continue;
    }
    ++num_cut;
    for (const Kernel& kernel : registry.all()) {
      if (!kernel.takes.leaves || !refusal(kernel, draw.program, draw.shape).empty()) {
        continue;
      }
      std::vector<std::pair<int64_t, Outcome>> partials;
      for (int64_t begin = 0; begin < length; begin += piece) {
        partials.emplace_back(1, run_piece(kernel, draw, begin, std::min(piece, length - begin)));
        const bool is_last = begin + piece >= length;
        while (partials.size() > 1 &&
               (is_last || partials.back().first == partials[partials.size() - 2].first)) {
          auto& [num_pieces, left] = partials[partials.size() - 2];
          num_pieces += partials.back().first;
          merge(registry, draw, left, partials.back().second);
          partials.pop_back();
        }
      }
      const Outcome whole = run_kernel(kernel, draw.program, draw.shape, draw.inputs);
      for (size_t output = 0; output < whole.outputs.size(); ++output) {
        ASSERT_TRUE(same_bits(partials[0].second.outputs[output], whole.outputs[output]))
            << kernel.name << ", seed " << seed << ", pieces of " << piece << ": "
            << to_text(draw.program);
      }
    }
  }
  EXPECT_GT(num_cut, 200 / kOneOfDrawn);
}

/// Why leaves of a program have lanes, or "" where they are chains.
std::string why_lanes(const std::string& text) {
  return chain_of(expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                                      expr::all_functions()))
      .reason();
}

TEST(LeafOrder, FollowsFromTheStatementAlone) {
  const std::string labels = "[i=4,j=5,k=6] ";
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = sum[k] x0[i,k] * x1[k,j]"), "");
  EXPECT_EQ(why_lanes(labels + "(f64,f64) o[j,i] = sum[k] x0[k,2,i] * x1[j,k]"), "");
  EXPECT_EQ(why_lanes(labels + "(f16,f32) o[i,j] = sum[k] f32(x0[i,k]) * x1[k,j]"), "");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i] = sum[k] x0[i,k] * x1[k]"),
            "one of the factors has no label of its own, so it is no matrix product");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = max[k] x0[i,k] * x1[k,j]"), "it is not one sum");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = sum[k] (x0[i,k] + x1[k,j])"),
            "what is summed is not a product");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = sum[k] x0[i,k] * exp(x1[k,j])"),
            "the factors are not two accesses");
  EXPECT_EQ(why_lanes(labels + "(i64,i64) o[i,j] = sum[k] x0[i,k] * x1[k,j]"),
            "the sum is of i64, not of f32, f64, c64 or c128");
  EXPECT_EQ(why_lanes(labels + "(c64,c64) o[i,j] = sum[k] x0[i,k] * x1[k,j]"),
            "complex products are summed in lanes");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = sum[k] x0[i,i,k] * x1[k,j]"),
            "a factor is no plain array: a label repeats or an index has several");
  EXPECT_EQ(why_lanes(labels + "(f32,f32) o[i,j] = sum[k] x0[i] * x1[k,j]"),
            "a summed label is not in both factors");
}

TEST(LeafOrder, IsAChainWhereTheGemmKernelsReadAMatrixProduct) {
  int num_chains = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Draw draw(seed);
    const OrRefusal<GemmLabels> labels = read_as_gemm(draw.program);
    const bool is_matrix_product =
        labels && !is_complex(labels->type) && !labels->m.empty() && !labels->n.empty();
    EXPECT_EQ(static_cast<bool>(chain_of(draw.program)), is_matrix_product)
        << "seed " << seed << ": " << to_text(draw.program);
    num_chains += is_matrix_product ? 1 : 0;
  }
  EXPECT_GT(num_chains, 40);
}

TEST(LeafOrder, OtherKernelsRefuseALeafInWords) {
  const Registry& registry = all_kernels();
  const Draw draw(1);
  EXPECT_EQ(refusal(*registry.find("blocked_evaluator"), draw.program, draw.shape),
            "it reduces in an order of its own, not leaf by leaf");
  EXPECT_EQ(refusal(*registry.find("gemm"), draw.program, draw.shape),
            "it reduces in an order of its own, not leaf by leaf");
}

TEST(LeafOrder, ARegistryWithoutAKernelForItSaysWhy) {
  const Draw draw(1);
  const Known only({"gemm"});
  try {
    (void)choose(draw.program, draw.shape, only.context);
    FAIL() << "gemm has an order of its own";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_NE(error.message().find("gemm: it reduces in an order of its own"), std::string::npos)
        << error.message();
  }
}

TEST(LeafOrder, TheLastKernelRunsOnlyWhatNoOtherDoes) {
  expr::TileProgram tiny;
  tiny.labels = {{"i", 2}};
  tiny.num_inputs = 1;
  tiny.statements.push_back({{0}, {expr::scalar_of({0, {expr::plain(0)}}, DType::f32)}});
  const CallShape shape{{{0, 2}}, false};
  EXPECT_EQ(choose(tiny, shape, known().context).kernel->name, "reference");
  Context put_last = known().context;
  put_last.last_kernel = "reference";
  EXPECT_EQ(choose(tiny, shape, put_last).kernel->name, "copy");
}

}  // namespace

}  // namespace tessera::kernels::leaf_order_test
