#include "kernels/cpu/blocked/generated_kernel.h"

#include <algorithm>
#include <vector>

#include "kernels/context.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/cpu/blocked/evaluator_cost.h"
#include "kernels/cpu/blocked/evaluator_plan.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/walk/iteration_space.h"

/// generated: blocked_evaluator with machine code made for the expression, if that pays. Without
/// code it runs the same functions one after the other, to the same bits.
namespace tessera::kernels {

namespace kernel_generated {

namespace {

using Formulas = std::vector<generated::Formula>;

constexpr const char* kGeneratedKernel = "generated";
constexpr const char* kInterpretingKernel = "blocked_evaluator";

/// The speed of code relative to the steps of block functions; measured: bench/limits, sums of
/// chains and of a polynomial in the cache, AVX-512.
constexpr double kTimesTheSteps = 6;
/// Seconds to begin a row that is merged in code; measured there.
constexpr double kRowSeconds = 0.19e-6;

/// Returns the positions of the whole statement, of which a call may have a part.
double all_positions(const expr::TileProgram& program) {
  double positions = 1;
  for (const expr::LabelDecl& label : program.labels) {
    positions *= static_cast<double>(label.extent);
  }
  return positions;
}

/// Seconds of an element, by block functions and by code that replaces them.
struct ElementSeconds {
  double functions = 0;
  double code = 0;
};

ElementSeconds seconds_of(const generated::Formula& formula, const KernelRates& rates) {
  const auto width_of = [](uint8_t type) {
    return static_cast<double>(size_of(static_cast<DType>(type))) / 4;
  };
  double steps = 0;  // of 4 bytes
  for (const generated::Step& step : formula.steps()) {
    const bool is_computed = step.operation != generated::Operation::argument &&
                             step.operation != generated::Operation::uniform &&
                             step.operation != generated::Operation::constant;
    steps += is_computed ? width_of(step.type) : 0;
  }
  double block = 0;
  if (formula.merge() != generated::Operation::argument) {
    steps += width_of(formula.steps().back().type);
    block = rates.block_seconds / static_cast<double>(kBlock);
  }
  return {steps / rates.steps_per_second + block, steps / rates.steps_per_second / kTimesTheSteps};
}

/// Returns the positions of a whole statement, of which a call may have a part.
double positions_of_statement(const expr::TileProgram& program, const CallShape& shape) {
  const expr::TileStatement& statement = program.statements[0];
  return std::max(
      all_positions(program),
      num_positions(statement.out, shape) * num_positions(expr::reduced_labels(statement), shape));
}

/// Returns the cost with the savings of code and a share of its compilation; the given cost if code
/// is not worth that.
Cost with_code(const Cost& cost, const Formulas& formulas, const expr::TileProgram& program,
               const CallShape& shape, const Machine& machine,
               const generated::Generator& generator) {
  const expr::TileStatement& statement = program.statements[0];
  const double positions =
      num_positions(statement.out, shape) * num_positions(expr::reduced_labels(statement), shape);
  const double all = positions_of_statement(program, shape);
  const bool always = generator.generating() == generated::Generating::always;
  const double results = num_positions(statement.out, shape);
  double saved = 0;
  double code = 0;
  double makings = 0;
  for (const generated::Formula& formula : formulas) {
    const ElementSeconds element = seconds_of(formula, machine.rates);
    const double worth = (element.functions - element.code) * all;
    const std::optional<double> making = generator.seconds(formula, machine.isa);
    if (making && (always || *making < worth)) {
      saved += element.functions * positions;
      code += element.code * positions +
              (formula.merge() == generated::Operation::argument ? 0 : results * kRowSeconds);
      makings += always ? 0 : *making * positions / all;
    }
  }
  const double functions = computing_seconds(cost, machine.rates);
  const double seconds = (saved > 0 ? std::max(functions - saved, code) : functions) + makings;
  return overlapping_cost(cost.flops, cost.bytes, seconds, machine.rates);
}

/// True if there are two calls or casts, which a run needs.
bool has_two_functions(const std::vector<expr::Scalar>& bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [](const expr::Scalar& body) {
    return std::count_if(body.nodes.begin(), body.nodes.end(), &expr::is_computed) > 1;
  });
}

using Evaluator = std::shared_ptr<const BlockedEvaluator>;

/// Returns an evaluator with the available code of its formulas, in no larger workspace: a plan
/// states the same workspace with and without code.
Evaluator with_code(const Evaluator& interpreted, const CallShape& shape, Isa isa,
                    const BlockProgram::CodeOf& code_of) {
  Evaluator coded = *BlockedEvaluator::compile(interpreted->statement(), shape, isa, code_of);
  return coded->workspace_bytes() <= interpreted->workspace_bytes() ? coded : interpreted;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context, const generated::Generator* generator) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  const Refusal nothing{"it has no two functions, one of the other, whose code is generated"};
  if (!has_two_functions(statement.bodies)) {
    return nothing;
  }
  const Isa isa = context.machine.isa;
  Formulas formulas;
  const auto interpreted =
      BlockedEvaluator::compile(statement, shape, isa, [&](const generated::Formula& formula) {
        formulas.push_back(formula);
        return nullptr;
      });
  if (!interpreted) {
    return interpreted.refusal();
  }
  if (formulas.empty()) {
    return nothing;
  }
  const Cost cost = evaluator_cost(statement, **interpreted, shape, context);
  return KernelPlan{
      generator == nullptr ? cost
                           : with_code(cost, formulas, program, shape, context.machine, *generator),
      (*interpreted)->workspace_bytes(),
      [generator, shape, isa, ready = *interpreted]() -> std::shared_ptr<const PreparedKernel> {
        return generator == nullptr
                   ? ready
                   : with_code(ready, shape, isa, [&](const generated::Formula& formula) {
                       return generator->code(formula, isa);
                     });
      }};
}

Kernel kernel_by(const generated::Generator* generator) {
  return {kGeneratedKernel,
          {},
          [generator](const auto& program, const auto& shape, const auto& context) {
            return read(program, shape, context, generator);
          }};
}

/// Plans `blocked_evaluator`, for a program whose code is not worth making for one run. When it is
/// prepared it takes code that other runs have kept, or runs without.
OrRefusal<KernelPlan> read_interpreted(const expr::TileProgram& program, const CallShape& shape,
                                       const Context& context,
                                       const generated::Generator& generator) {
  OrRefusal<EvaluatorPlan> plan = plan_evaluator(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  const int64_t workspace_bytes = plan->evaluator->workspace_bytes();
  if (!has_two_functions(program.statements[0].bodies)) {
    return KernelPlan{plan->cost, workspace_bytes, [ready = plan->evaluator] { return ready; }};
  }
  const double all = positions_of_statement(program, shape);
  return KernelPlan{plan->cost, workspace_bytes,
                    [all, shape, &generator, &machine = context.machine,
                     ready = plan->evaluator]() -> std::shared_ptr<const PreparedKernel> {
                      return with_code(
                          ready, shape, machine.isa, [&](const generated::Formula& formula) {
                            const ElementSeconds element = seconds_of(formula, machine.rates);
                            return generator.code_after_losses(
                                formula, machine.isa, (element.functions - element.code) * all);
                          });
                    }};
}

Kernel interpreting(const Kernel& evaluator, const generated::Generator& generator) {
  return {evaluator.name, evaluator.takes,
          [&generator](const auto& program, const auto& shape, const auto& context) {
            return read_interpreted(program, shape, context, generator);
          }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add(kernel_by(nullptr));
}

}  // namespace kernel_generated

Registry with_generator(const Registry& kernels, const generated::Generator& generator) {
  using namespace kernel_generated;
  Registry all;
  for (const Kernel& kernel : kernels.all()) {
    const bool is_interpreted = generator.generating() == generated::Generating::automatic &&
                                kernel.name == kInterpretingKernel;
    all.add(kernel.name == kGeneratedKernel ? kernel_by(&generator)
            : is_interpreted                ? interpreting(kernel, generator)
                                            : kernel);
  }
  return all;
}

}  // namespace tessera::kernels
