#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Every registered kernel against `reference`, on drawn programs: a new kernel is tested by being
/// registered.
namespace tessera::kernels::every_kernel_test {

namespace {

/// Programs of all that kernels can run.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    if (seed % 10 == 0 || seed % 10 == 5) {
      draw_matrices(seed % 10 == 5);
      return;
    }
    draw_labels();
    if (seed % 10 == 3 && !program.labels.empty()) {
      draw_grouped();
      return;
    }
    if (seed % 10 == 1 && !program.labels.empty()) {
      draw_best_position();
      return;
    }
    if (seed % 10 == 2) {
      draw_chain();
    } else if (seed % 3 == 0) {
      draw_contraction();
    } else {
      draw_statement();
    }
  }

 private:
  void draw_labels() {
    static constexpr int64_t kExtents[] = {1, 2, 3, 5, 7, 8, 16, 17, 33, 64, 100, 1024, 1500};
    const int64_t num_labels = number(0, 5);
    int64_t positions = 1;
    for (int64_t label = 0; label < num_labels; ++label) {
      int64_t length = chance(2) ? 0 : kExtents[number(0, std::size(kExtents) - 1)];
      if (positions * length > 4000) {
        length = number(1, 3);
      }
      positions *= std::max<int64_t>(length, 1);
      const int64_t begin = number(0, 4);
      program.labels.push_back(
          {std::string(1, static_cast<char>('a' + label)), begin + length + number(0, 3)});
      shape.ranges.push_back({begin, length});
    }
  }

  /// An operand that is read at some of the labels: its tile covers what is read, and often more.
  int32_t draw_access(expr::ScalarBuilder& builder, DType dtype) {
    expr::Access access{program.num_inputs++, {}};
    Box inside;
    Box around;
    for (size_t label = 0; label < program.labels.size(); ++label) {
      if (chance(30)) {
        continue;
      }
      const auto own = static_cast<expr::LabelNumber>(label);
      const expr::Index index = chance(10) ? draw_affine(own) : expr::plain(own);
      add_mode(access, index, inside, around);
      if (shape.ranges[label].length <= 100 && chance(8)) {
        add_mode(access, index, inside, around);  // a diagonal
      }
    }
    if (chance(15)) {
      add_mode(access, expr::fixed(number(0, 1)), inside, around);
    }
    shuffle_modes(access, inside, around);
    tiles_.emplace_back(dtype, around);
    tiles_.back().fill(random_);
    inputs.push_back(chance(50) ? tiles_.back().view() : subview(tiles_.back().view(), inside));
    return builder.access(access, dtype);
  }

  /// A stride, backward at times, or a window of two labels; no position is negative.
  expr::Index draw_affine(expr::LabelNumber label) {
    static constexpr int64_t kCoefficients[] = {1, 2, 2, 3, -1, -2};
    expr::AffineIndex index{{{label, kCoefficients[number(0, 5)]}}, number(0, 2)};
    const auto other = static_cast<expr::LabelNumber>(number(0, label));
    if (other != label && shape.ranges[static_cast<size_t>(other)].length < 9 && chance(40)) {
      index.terms.push_back({other, chance(30) ? -1 : 1});
    }
    for (const expr::AffineIndex::Term& term : index.terms) {
      const LabelRange range = shape.ranges[static_cast<size_t>(term.label)];
      index.offset -= std::min<int64_t>(term.coefficient, 0) * (range.begin + range.length);
    }
    return expr::affine(std::move(index));
  }

  void add_mode(expr::Access& access, const expr::Index& index, Box& inside, Box& around) {
    int64_t first = expr::offset_of(index);
    int64_t length = 1;
    expr::for_each_term(index, [&](expr::LabelNumber label, int64_t coefficient) {
      const LabelRange range = shape.ranges[static_cast<size_t>(label)];
      const int64_t reach = coefficient * std::max<int64_t>(range.length - 1, 0);
      first += coefficient * range.begin + std::min<int64_t>(reach, 0);
      length = range.length == 0 || length == 0 ? 0 : length + std::abs(reach);
    });
    const int64_t before = chance(30) ? std::min<int64_t>(first, number(0, 2)) : 0;
    access.index.push_back(index);
    inside.origin.push_back(first);
    inside.extent.push_back(length);
    around.origin.push_back(first - before);
    around.extent.push_back(length + before + (chance(30) ? number(0, 2) : 0));
  }

  /// An operand with exactly these labels, in any order; part of a larger tile half of the time.
  int32_t draw_plain_access(expr::ScalarBuilder& builder, DType dtype,
                            std::vector<expr::LabelNumber> labels) {
    std::shuffle(labels.begin(), labels.end(), random_);
    return draw_ordered_access(builder, dtype, labels);
  }

  int32_t draw_ordered_access(expr::ScalarBuilder& builder, DType dtype,
                              const std::vector<expr::LabelNumber>& labels) {
    expr::Access access{program.num_inputs++, {}};
    Box inside;
    Box around;
    for (const expr::LabelNumber label : labels) {
      add_mode(access, expr::plain(label), inside, around);
    }
    tiles_.emplace_back(dtype, around);
    tiles_.back().fill(random_);
    inputs.push_back(subview(tiles_.back().view(), inside));
    return builder.access(access, dtype);
  }

  /// A function of two operands and what merges it.
  struct Semiring {
    const char* join;
    const char* of_join;  // null: nothing
    const char* aggregate;
    DType dtype;
  };

  /// A sum of products for a matrix library, or other functions for the semiring tiles.
  Semiring draw_semiring() {
    static constexpr DType kProductTypes[] = {DType::f32,  DType::f64, DType::c64,
                                              DType::c128, DType::f16, DType::bf16};
    static constexpr DType kSemiringTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64};
    static constexpr Semiring kSemirings[] = {
        {"add", nullptr, "min", {}},         {"add", nullptr, "max", {}},
        {"multiply", nullptr, "max", {}},    {"multiply", nullptr, "min", {}},
        {"minimum", nullptr, "max", {}},     {"maximum", nullptr, "min", {}},
        {"subtract", "abs", "sum", {}},      {"subtract", "abs", "max", {}},
        {"subtract", "square", "sum", {}},   {"multiply", nullptr, "sum", {}},
        {"logical_and", nullptr, "any", {}},
    };
    if (chance(50)) {
      return {"multiply", nullptr, "sum", kProductTypes[number(0, std::size(kProductTypes) - 1)]};
    }
    Semiring drawn = kSemirings[number(0, std::size(kSemirings) - 1)];
    drawn.dtype = drawn.join == std::string("logical_and")
                      ? DType::b1
                      : kSemiringTypes[number(0, std::size(kSemiringTypes) - 1)];
    return drawn;
  }

  /// A reduction of a function of two operands in which every label is batch, m, n or k.
  void draw_contraction() {
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> over;
    std::vector<expr::LabelNumber> in_a;
    std::vector<expr::LabelNumber> in_b;
    for (size_t number_of = 0; number_of < program.labels.size(); ++number_of) {
      const auto label = static_cast<expr::LabelNumber>(number_of);
      const int64_t kind = number(0, 3);  // batch, m, n, k
      (kind == 3 ? over : statement.out).push_back(label);
      if (kind != 2) {
        in_a.push_back(label);
      }
      if (kind != 1) {
        in_b.push_back(label);
      }
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    const Semiring semiring = draw_semiring();
    const DType dtype = semiring.dtype;
    expr::ScalarBuilder builder;
    const int32_t a = draw_plain_access(builder, dtype, in_a);
    const int32_t b = draw_plain_access(builder, dtype, in_b);
    const int32_t joined = call(builder, semiring.join, {a, b});
    const int32_t body =
        semiring.of_join == nullptr ? joined : call(builder, semiring.of_join, {joined});
    const expr::BoundAggregate aggregate =
        expr::all_aggregates().find(semiring.aggregate)->bind(compute_type(dtype));
    statement.bodies.push_back(builder.finish(builder.cast(body, compute_type(dtype))));
    statement.what = expr::Reduce{aggregate.monoid, over};
    shape.accumulate = chance(30);
    program.statements.push_back(std::move(statement));
  }

  /// The first largest or smallest element along the first label.
  void draw_best_position() {
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::i16};
    const DType dtype = kTypes[number(0, std::size(kTypes) - 1)];
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> read = {0};
    for (size_t label = 1; label < program.labels.size(); ++label) {
      statement.out.push_back(static_cast<expr::LabelNumber>(label));
      read.push_back(static_cast<expr::LabelNumber>(label));
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    if (chance(30)) {  // an input that nothing reads, as a table of positions is once it was used
      expr::ScalarBuilder unread;
      draw_plain_access(unread, dtype, read);
    }
    expr::ScalarBuilder element;
    const int32_t access = draw_plain_access(element, dtype, read);
    expr::ScalarBuilder position;
    statement.bodies = {element.finish(access), position.finish(position.index_of(0))};
    statement.what = expr::Reduce{
        expr::all_aggregates().find(chance(50) ? "argmax" : "argmin")->bind(dtype).monoid, {0}};
    shape.accumulate = chance(30);
    program.statements.push_back(std::move(statement));
  }

  /// What merges elements only where labels of the result have certain positions.
  void draw_grouped() {
    std::vector<expr::LabelNumber> groups;
    for (int64_t left = number(1, 2); left > 0; --left) {
      groups.push_back(draw_group_label());
    }
    expr::TileStatement statement;
    statement.out = groups;
    std::vector<expr::LabelNumber> over;
    for (size_t label = 0; label + groups.size() < program.labels.size(); ++label) {
      const bool is_reduced = label == 0 || chance(40);
      (is_reduced ? over : statement.out).push_back(static_cast<expr::LabelNumber>(label));
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64,
                                       DType::b1,  DType::u8,  DType::f16, DType::c64};
    const DType dtype = kTypes[number(0, std::size(kTypes) - 1)];
    expr::ScalarBuilder builder;
    const int32_t condition = draw_grouping(builder, groups);
    const int32_t value = draw_grouped_value(builder, dtype, groups[0]);
    draw_reduction(statement, over, builder, value);
    const expr::Monoid& monoid = expr::reduction_of(statement)->monoid;
    for (size_t entry = 0; entry < statement.bodies.size(); ++entry) {
      expr::ScalarBuilder guarded;
      const int32_t lifted = guarded.inline_scalar(statement.bodies[entry], {});
      const int32_t own = guarded.inline_scalar(builder.finish(condition), {});
      const int32_t left_out = guarded.constant(monoid.identity[entry], monoid.state[entry]);
      statement.bodies[entry] =
          guarded.finish(guarded.call("where", {own, lifted, left_out}, monoid.state[entry]));
    }
    program.statements.push_back(std::move(statement));
  }

  expr::LabelNumber draw_group_label() {
    const int64_t begin = number(0, 2);
    const int64_t length = number(1, 4);
    const auto label = static_cast<expr::LabelNumber>(program.labels.size());
    program.labels.push_back({std::string(1, static_cast<char>('p' + label)), begin + length + 1});
    shape.ranges.push_back({begin, length});
    return label;
  }

  /// That each group is the remainder of some number, and sometimes that another number is not 0.
  int32_t draw_grouping(expr::ScalarBuilder& builder,
                        const std::vector<expr::LabelNumber>& groups) {
    std::optional<int32_t> condition;
    const auto join = [&](int32_t term) {
      condition = condition ? call(builder, "logical_and", {*condition, term}) : term;
    };
    for (const expr::LabelNumber group : groups) {
      const int64_t extent = program.labels[static_cast<size_t>(group)].extent;
      const int32_t most = builder.constant(extent, DType::i64);
      const int32_t read =
          draw_access_without(builder, chance(50) ? DType::i32 : DType::i64, groups);
      const int32_t own = call(builder, "remainder", {builder.cast(read, DType::i64), most});
      join(chance(50) ? call(builder, "equal", {own, builder.index_of(group)})
                      : call(builder, "in_group", {own, builder.index_of(group), most}));
    }
    if (chance(30)) {
      const int32_t other = draw_access_without(builder, DType::i8, groups);
      join(call(builder, "not_equal", {other, builder.constant(int64_t{0}, DType::i8)}));
    }
    return *condition;
  }

  /// An operand that is read at labels that are no groups, the first among them.
  int32_t draw_access_without(expr::ScalarBuilder& builder, DType dtype,
                              const std::vector<expr::LabelNumber>& groups) {
    std::vector<expr::LabelNumber> labels = {0};
    for (size_t label = 1; label + groups.size() < program.labels.size(); ++label) {
      if (chance(25)) {
        labels.push_back(static_cast<expr::LabelNumber>(label));
      }
    }
    return draw_plain_access(builder, dtype, labels);
  }

  /// An element, as it is or computed, and sometimes gathered or of the group, or a constant.
  int32_t draw_grouped_value(expr::ScalarBuilder& builder, DType dtype, expr::LabelNumber group) {
    if (dtype == DType::f64 && chance(25)) {
      return builder.constant(3.0, dtype);
    }
    std::vector<expr::LabelNumber> labels;
    for (size_t label = 0; label < program.labels.size(); ++label) {
      if (static_cast<expr::LabelNumber>(label) < group && chance(80)) {
        labels.push_back(static_cast<expr::LabelNumber>(label));
      }
    }
    int32_t value = draw_plain_access(builder, dtype, labels);
    if (chance(25)) {
      value = call(builder, "add", {value, draw_plain_access(builder, dtype, {group})});
    }
    if (chance(25)) {
      value = call(builder, "multiply", {value, draw_gathered(builder, dtype)});
    }
    return value;
  }

  /// A row of 5 at a number that the first label has.
  int32_t draw_gathered(expr::ScalarBuilder& builder, DType dtype) {
    const int32_t number_of_row = call(
        builder, "remainder",
        {draw_plain_access(builder, DType::i64, {0}), builder.constant(int64_t{5}, DType::i64)});
    expr::Access access{program.num_inputs++, {expr::GatheredIndex{number_of_row, expr::Inside{}}}};
    tiles_.emplace_back(dtype, Box{{0}, {5}});
    tiles_.back().fill(random_);
    inputs.push_back(tiles_.back().view());
    return builder.access(std::move(access), dtype);
  }

  /// A batch of f32 matrix products, large enough for every matrix library, as tiles hold them:
  /// [batch, m, k] or [batch, k, m], [batch, k, n] or [batch, n, k], and sometimes [batch, n, m];
  /// with a mask, of m or n and of k.
  void draw_matrices(bool has_mask) {
    static constexpr int64_t kSides[] = {16, 17, 20, 33, 48, 64};
    for (const char* const name : {"b", "m", "n", "k"}) {
      const bool is_batch = program.labels.empty();
      const int64_t length = is_batch ? number(1, 3) : kSides[number(0, std::size(kSides) - 1)];
      const int64_t begin = number(0, 4);
      program.labels.push_back({name, begin + length + number(0, 3)});
      shape.ranges.push_back({begin, length});
    }
    expr::ScalarBuilder builder;
    const auto matrix = [&](expr::LabelNumber rows, expr::LabelNumber columns) {
      return chance(50) ? std::vector<expr::LabelNumber>{0, rows, columns}
                        : std::vector<expr::LabelNumber>{0, columns, rows};
    };
    const int32_t a = draw_ordered_access(builder, DType::f32, matrix(1, 3));
    const int32_t b = draw_ordered_access(builder, DType::f32, matrix(3, 2));
    expr::TileStatement statement;
    statement.out = matrix(1, 2);
    const int32_t product = call(builder, "multiply", {a, b});
    statement.bodies.push_back(builder.finish(has_mask ? masked(builder, product) : product));
    statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(DType::f32).monoid, {3}};
    shape.accumulate = chance(30);
    program.statements.push_back(std::move(statement));
  }

  /// A product where the position along k has some relation to that along m or n, else 0.
  int32_t masked(expr::ScalarBuilder& builder, int32_t product) {
    const int32_t k = builder.index_of(3);
    const int32_t other = builder.index_of(chance(50) ? 1 : 2);
    const int32_t condition = call(builder, chance(50) ? "less_equal" : "less", {k, other});
    const int32_t zero = builder.constant(int64_t{0}, DType::f32);
    return chance(70) ? call(builder, "where", {condition, product, zero})
                      : call(builder, "where", {condition, zero, product});
  }

  /// Statements that read inputs and, mostly at their own labels, what earlier ones made; in types
  /// in which all sums are exact.
  void draw_chain() {
    const DType dtype = chance(50) ? DType::f64 : DType::i64;
    const int64_t num_statements = number(2, 5);
    std::vector<std::vector<expr::LabelNumber>> made;  // labels of the results so far
    for (int64_t at = 0; at < num_statements; ++at) {
      program.statements.push_back(draw_link(dtype, made));
      made.push_back(program.statements.back().out);
    }
    // Results are numbered behind the inputs, whose number is only known now.
    for (expr::TileStatement& statement : program.statements) {
      for (expr::Node& node : statement.bodies[0].nodes) {
        auto* access = std::get_if<expr::Access>(&node.op);
        if (access != nullptr && access->operand >= kFirstResult) {
          access->operand += program.num_inputs - kFirstResult;
        }
      }
    }
    shape.accumulate = expr::reduction_of(program.statements.back()) != nullptr && chance(30);
  }

  static constexpr int32_t kFirstResult = 1000;

  expr::TileStatement draw_link(DType dtype,
                                const std::vector<std::vector<expr::LabelNumber>>& made) {
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> over;
    std::vector<expr::LabelNumber> bound(program.labels.size());
    std::iota(bound.begin(), bound.end(), 0);
    for (const expr::LabelNumber label : bound) {
      // The first labels stay to the end, so that most chains can run in parts.
      (label < 2 || chance(50) ? statement.out : over).push_back(label);
    }
    if (chance(20)) {
      std::shuffle(statement.out.begin(), statement.out.end(), random_);
    }
    static constexpr const char* kJoins[] = {"add", "subtract", "maximum"};
    expr::ScalarBuilder builder;
    int32_t body = draw_access(builder, dtype);
    for (size_t result = 0; result < made.size(); ++result) {
      if (result + 1 == made.size() || chance(40)) {
        expr::Access access{kFirstResult + static_cast<int32_t>(result), {}};
        for (const expr::LabelNumber label : made[result]) {
          const bool is_constant = shape.ranges[static_cast<size_t>(label)].length > 0 && chance(4);
          access.index.push_back(is_constant
                                     ? expr::fixed(shape.ranges[static_cast<size_t>(label)].begin)
                                     : expr::plain(label));
        }
        body = call(builder, kJoins[number(0, 2)], {body, builder.access(access, dtype)});
      }
    }
    statement.bodies.push_back(builder.finish(body));
    if (!over.empty() || chance(10)) {
      statement.what = expr::Reduce{
          expr::all_aggregates().find(chance(50) ? "sum" : "max")->bind(dtype).monoid, over};
    }
    return statement;
  }

  void shuffle_modes(expr::Access& access, Box& inside, Box& around) {
    std::vector<size_t> order(access.index.size());
    std::iota(order.begin(), order.end(), 0);
    if (chance(50)) {
      std::shuffle(order.begin(), order.end(), random_);
    }
    const auto permuted = [&](const auto& values) {
      auto result = values;
      for (size_t mode = 0; mode < order.size(); ++mode) {
        result[mode] = values[order[mode]];
      }
      return result;
    };
    access.index = permuted(access.index);
    inside = {permuted(inside.origin), permuted(inside.extent)};
    around = {permuted(around.origin), permuted(around.extent)};
  }

  int32_t draw_body(expr::ScalarBuilder& builder, DType dtype) {
    if (chance(35)) {  // a product, which gemm may take
      return call(builder, "multiply", {draw_access(builder, dtype), draw_access(builder, dtype)});
    }
    int32_t value = draw_access(builder, dtype);
    static constexpr const char* kAny[] = {"add", "multiply"};
    static constexpr const char* kReal[] = {"add",     "multiply", "maximum",
                                            "minimum", "less",     "equal"};
    for (int64_t step = number(0, 3); step > 0; --step) {
      const int32_t other = chance(60) ? draw_access(builder, dtype)
                            : chance(50) || program.labels.empty()
                                ? builder.constant(number(0, 2), DType::i8)
                                : call(builder, "remainder",
                                       {builder.index_of(static_cast<expr::LabelNumber>(number(
                                            0, static_cast<int64_t>(program.labels.size()) - 1))),
                                        builder.constant(int64_t{3}, DType::i64)});
      const bool has_complex =
          is_complex(builder.dtype_of(value)) || is_complex(builder.dtype_of(other));
      value = call(builder, has_complex ? kAny[number(0, 1)] : kReal[number(0, 5)], {value, other});
    }
    return value;
  }

  void draw_statement() {
    expr::TileStatement statement;
    std::vector<expr::LabelNumber> over;
    for (size_t label = 0; label < program.labels.size(); ++label) {
      (chance(60) ? statement.out : over).push_back(static_cast<expr::LabelNumber>(label));
    }
    std::shuffle(statement.out.begin(), statement.out.end(), random_);
    std::shuffle(over.begin(), over.end(), random_);
    const DType dtype =
        all_dtypes()[static_cast<size_t>(number(0, static_cast<int64_t>(all_dtypes().size()) - 1))];
    expr::ScalarBuilder builder;
    const int32_t body = draw_body(builder, dtype);
    if (over.empty() && chance(80)) {
      statement.bodies.push_back(builder.finish(body));
      if (chance(20)) {
        statement.bodies.push_back(builder.finish(draw_body(builder, dtype)));
      }
    } else {
      draw_reduction(statement, over, builder, body);
    }
    program.statements.push_back(std::move(statement));
  }

  void draw_reduction(expr::TileStatement& statement, const std::vector<expr::LabelNumber>& over,
                      expr::ScalarBuilder& builder, int32_t body) {
    static constexpr const char* kOrdered[] = {"sum", "max", "min", "argmax", "argmin"};
    const char* const name = is_complex(builder.dtype_of(body)) ? "sum" : kOrdered[number(0, 4)];
    reduce(statement, over, builder, name, body,
           over.empty() ? builder.constant(int64_t{0}, DType::i64) : builder.index_of(over[0]));
    shape.accumulate = chance(30);
  }
};

/// What a kernel of a registry is read with: one of a precision, with that.
Context context_for_kernel(const Kernel& kernel, const Registry& registry) {
  Context context{known().functions, known().aggregates, registry, known().machine};
  const size_t end = kernel.name.find("bf16");
  if (end != std::string::npos) {
    context.precision = precision_named(kernel.name.substr(end)).value();
  }
  return context;
}

TEST(EveryKernel, AgreesWithTheReferenceOnDrawnPrograms) {
  const Registry& registry = generating_kernels();
  const Kernel& reference = *registry.find("reference");
  std::map<std::string, int> num_runs;
  for (uint64_t seed = 0; seed < 1500 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    const Outcome expected = run_kernel(reference, draw.program, draw.shape, draw.inputs);
    for (const Kernel& kernel : registry.all()) {
      const Context context = context_for_kernel(kernel, registry);
      if (kernel.name == "reference" || !kernel.read(draw.program, draw.shape, context)) {
        continue;
      }
      ++num_runs[kernel.name];
      const Outcome outcome = run_kernel(kernel, draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(outcome.status, expected.status)
          << kernel.name << ", seed " << seed << ": " << to_text(draw.program);
      for (size_t output = 0; output < expected.outputs.size(); ++output) {
        ASSERT_EQ(first_difference(outcome.outputs[output], expected.outputs[output]), -1)
            << kernel.name << ", seed " << seed << ", output " << output << ": "
            << to_text(draw.program);
      }
    }
  }
  for (const Kernel& kernel : registry.all()) {
    // What keeps the order of leaves, scans, stages operands or moves windows may run nothing else:
    // leaf_order_test.cpp, scan_kernel_test.cpp, staged_kernel_test.cpp, gather_kernel_test.cpp,
    // gather_reduce_kernel_test.cpp, windows_kernel_test.cpp, whole_kernel_test.cpp and those of
    // the two convolutions have it. Products of bf16 want AVX-512.
    const bool moves_windows = kernel.name == "windows" || kernel.name == "convolution_onednn" ||
                               kernel.name == "convolution_direct";
    const bool wants_more =
        kernel.name.find("bf16") != std::string::npos && known().machine.isa < Isa::avx512;
    const bool is_elsewhere = wants_more || kernel.takes.leaves || kernel.takes.scans ||
                              moves_windows || kernel.name == "staged" ||
                              kernel.name.rfind("gather", 0) == 0 || kernel.name == "whole";
    EXPECT_TRUE(is_elsewhere || num_runs[kernel.name] >= 30 / kOneOfDrawn)
        << kernel.name << " ran too rarely to be tested";
  }
}

TEST(EveryKernel, AgreesWithTheReferenceBandByBand) {
  const Registry& registry = all_kernels();
  Machine machine = known().machine;
  machine.caches.core_bytes = 200;
  const Context context{known().functions, known().aggregates, registry, machine};
  for (uint64_t seed = 2; seed < 6000; seed += 10 * kOneOfDrawn) {
    const Draw draw(seed);
    const Outcome expected =
        run_kernel(*registry.find("reference"), draw.program, draw.shape, draw.inputs);
    if (draw.program.statements.size() > 1) {
      const Outcome outcome =
          run_kernel(*registry.find("fused"), draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(outcome.status, expected.status) << seed;
      ASSERT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1)
          << "seed " << seed << ": " << to_text(draw.program);
    }
  }
}

TEST(EveryKernel, GivesTheSameBitsTwice) {
  const Registry& registry = all_kernels();
  for (uint64_t seed = 0; seed < 100 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    for (const Kernel& kernel : registry.all()) {
      if (!refusal(kernel, draw.program, draw.shape).empty()) {
        continue;
      }
      const Outcome first = run_kernel(kernel, draw.program, draw.shape, draw.inputs);
      const Outcome second = run_kernel(kernel, draw.program, draw.shape, draw.inputs);
      for (size_t output = 0; output < first.outputs.size(); ++output) {
        EXPECT_EQ(first_difference(first.outputs[output], second.outputs[output]), -1)
            << kernel.name << ", seed " << seed;
      }
    }
  }
}

TEST(EveryKernel, HasAFiniteCostAndIsChosen) {
  for (uint64_t seed = 0; seed < 300 / kOneOfDrawn; ++seed) {
    const Draw draw(seed);
    for (const Offer& offer : offers_for(draw.program, draw.shape, known().context)) {
      EXPECT_TRUE(!offer.plan || (offer.plan->cost.seconds >= 0 && offer.plan->cost.seconds < 1e3))
          << offer.kernel->name << ", seed " << seed;
    }
    const Choice choice = choose(draw.program, draw.shape, known().context);
    EXPECT_EQ(refusal(*choice.kernel, draw.program, draw.shape), "");
  }
}

}  // namespace

}  // namespace tessera::kernels::every_kernel_test
