#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "expr/finite_product.h"
#include "kernels/choice.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// finite_product: a product of real numbers that also says if all its elements are finite
/// (expr/finite_product.h), or the number that such a state stands for. A product that is finite
/// has finite elements. So the kernel that is best for the plain product runs alone, and the
/// elements are looked at only if a result of the call is NaN, or for a state an infinity.
namespace tessera::kernels::kernel_finite_product {

namespace {

/// Returns the program that reduces one entry of the state.
expr::TileProgram entry_of(const expr::TileProgram& program, size_t entry) {
  expr::TileProgram made = program;
  made.statements.resize(1);
  expr::TileStatement& statement = made.statements.front();
  expr::Reduce reduce = *expr::reduction_of(statement);
  const expr::Monoid& whole = expr::reduction_of(program.statements.front())->monoid;
  const DType dtype = whole.state[entry];
  expr::ScalarBuilder combine;
  const int32_t left = combine.parameter(0, dtype);
  const int32_t right = combine.parameter(1, dtype);
  const auto& merge = std::get<expr::Call>(whole.combine[entry].nodes.back().op);
  reduce.monoid = {whole.name,
                   {dtype},
                   {combine.finish(combine.call(merge.function, {left, right}, dtype))},
                   {whole.identity[entry]}};
  reduce.leaf = is_bool(dtype) ? std::nullopt : reduce.leaf;  // truth values merge in any order
  statement.bodies = {program.statements.front().bodies[entry]};
  statement.what = std::move(reduce);
  return made;
}

/// Calls look(number) for all numbers of a tile, and returns true if all calls do. Without an early
/// end, so that the compiler makes vectors of the loop.
template <class T, class Look>
bool all_of(const std::byte* data, int64_t count, Look look) noexcept {
  const T* const numbers = reinterpret_cast<const T*>(data);
  uint64_t missed = 0;
  for (int64_t at = 0; at < count; ++at) {
    missed |= look(numbers[at]) ? uint64_t{0} : uint64_t{1};
  }
  return missed == 0;
}

template <class Look>
bool all_of(const TileView& view, Look look) noexcept {
  const int64_t count = num_elements(view.shape);
  return view.dtype == DType::f32 ? all_of<float>(view.data, count, look)
                                  : all_of<double>(view.data, count, look);
}

bool are_finite(const TileView& view) noexcept {
  return all_of(view, [](auto number) { return number - number == 0; });
}

bool are_numbers(const TileView& view) noexcept {
  return all_of(view, [](auto number) { return number == number; });
}

/// Writes 0 for each NaN of finite elements.
template <class T>
void replace_nan(std::byte* data, const std::byte* flags, int64_t count) noexcept {
  T* const numbers = reinterpret_cast<T*>(data);
  for (int64_t at = 0; at < count; ++at) {
    numbers[at] = std::isnan(numbers[at]) && flags[at] != std::byte{0} ? T{0} : numbers[at];
  }
}

/// Runs the plain product and, if that is not finite, what looks at the elements.
class TwoKernels : public PreparedKernel {
 public:
  TwoKernels(const KernelPlan& product, const KernelPlan& flags)
      : product_(product.prepare()), flags_(flags.prepare()) {}

  bool reads_once() const noexcept override { return product_->reads_once(); }

 protected:
  Status run_product(KernelCall call) const noexcept {
    call.outputs = call.outputs.first(1);
    return product_->run(call);
  }
  Status run_flags(KernelCall call, const TileView& flags, int64_t memory) const noexcept {
    call.outputs = {&flags, 1};
    call.workspace += memory;
    return flags_->run(call);
  }

 private:
  std::shared_ptr<const PreparedKernel> product_;
  std::shared_ptr<const PreparedKernel> flags_;
};

/// Makes the states.
class FiniteStates : public TwoKernels {
 public:
  using TwoKernels::TwoKernels;

  Status run(const KernelCall& call) const noexcept override {
    const Status status = run_product(call);
    if (status != Status::ok) {
      return status;
    }
    const TileView& flags = call.outputs[1];
    if (!are_finite(call.outputs[0])) {
      return run_flags(call, flags, 0);
    }
    if (!call.accumulate) {
      std::fill_n(flags.data, num_elements(flags.shape), std::byte{1});
    }
    return status;
  }
};

/// Makes the numbers that the states stand for. The flags begin the workspace.
class FiniteValues : public TwoKernels {
 public:
  FiniteValues(const KernelPlan& product, const KernelPlan& flags, int64_t flag_bytes)
      : TwoKernels(product, flags), flag_bytes_(flag_bytes) {}

  Status run(const KernelCall& call) const noexcept override {
    const Status status = run_product(call);
    const TileView& numbers = call.outputs[0];
    if (status != Status::ok || are_numbers(numbers)) {
      return status;
    }
    TileView flags = numbers;
    flags.dtype = DType::b1;
    flags.data = call.workspace;
    const Status looked = run_flags(call, flags, flag_bytes_);
    const int64_t count = num_elements(numbers.shape);
    numbers.dtype == DType::f32 ? replace_nan<float>(numbers.data, flags.data, count)
                                : replace_nan<double>(numbers.data, flags.data, count);
    return looked;
  }

 private:
  int64_t flag_bytes_;
};

/// True if the second statement is the number that the state of the first stands for.
bool gives_values(const expr::TileProgram& program) {
  const expr::TileStatement& state = program.statements[0];
  const expr::TileStatement& value = program.statements[1];
  std::vector<expr::Index> index;
  for (const expr::LabelNumber label : state.out) {
    index.push_back(expr::plain(label));
  }
  const DType dtype = state.bodies[0].dtype();
  expr::ScalarBuilder builder;
  const int32_t product = builder.access({program.num_inputs, index}, dtype);
  const int32_t flag = builder.access({program.num_inputs + 1, index}, DType::b1);
  const expr::Scalar whole =
      builder.finish(builder.inline_scalar(expr::value_of_finite_product(dtype), {product, flag}));
  return expr::is_map(value) && value.out == state.out && value.bodies == std::vector{whole};
}

std::optional<Refusal> refusal_of(const expr::TileProgram& program) {
  const expr::TileStatement& statement = program.statements.front();
  const expr::Reduce* const reduce = expr::reduction_of(statement);
  if (reduce == nullptr || !expr::is_finite_product(reduce->monoid) ||
      !expr::is_finiteness_of(statement.bodies[1], statement.bodies[0])) {
    return Refusal{"no product that says if its elements are finite"};
  }
  const bool makes_states = program.statements.size() == 1;
  return makes_states || (program.statements.size() == 2 && gives_values(program))
             ? std::nullopt
             : std::optional(Refusal{"it makes something else of a product"});
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = refusal_of(program)) {
    return std::move(*refusal);
  }
  OrRefusal<Choice> product = cheapest(entry_of(program, 0), shape, context);
  if (!product) {
    return product.refusal();
  }
  OrRefusal<Choice> flags = cheapest(entry_of(program, 1), shape, context);
  if (!flags) {
    return flags.refusal();
  }
  int64_t num_results = 1;
  for (const expr::LabelNumber label : program.statements.front().out) {
    num_results *= shape.ranges[static_cast<size_t>(label)].length;
  }
  const bool makes_states = program.statements.size() == 1;
  const int64_t flag_bytes = makes_states ? 0 : aligned_bytes(num_results);
  const int64_t bytes =
      std::max(product->plan.workspace_bytes, flag_bytes + flags->plan.workspace_bytes);
  return KernelPlan{product->plan.cost, bytes,
                    [product = std::move(product->plan), flags = std::move(flags->plan),
                     makes_states, flag_bytes]() -> std::shared_ptr<const PreparedKernel> {
                      if (makes_states) {
                        return std::make_shared<const FiniteStates>(product, flags);
                      }
                      return std::make_shared<const FiniteValues>(product, flags, flag_bytes);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add(
      {"finite_product",
       {.several_statements = true, .leaves = true, .every_index = true, .other_kernels = true},
       &read});
}

}  // namespace tessera::kernels::kernel_finite_product
