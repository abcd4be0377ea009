#include "kernels/cpu/blocked/generated_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

namespace tessera::kernels {

namespace {

using Value = BlockProgram::Value;
using FromFunction = BlockProgram::FromFunction;

/// A collector of functions, those that read others first.
class Parts {
 public:
  Parts(const std::vector<Value>& values, const GeneratedAs& as)
      : values_(values),
        as_(as),
        readers_(values.size()),
        root_of_(values.size(), -1),
        inputs_of_(values.size()) {}

  std::vector<GeneratedPart> run(const std::vector<int32_t>& results) {
    for (int32_t value = 0; value < num_values(); ++value) {
      for (const int32_t argument : arguments_of(value)) {
        readers_[index(argument)].push_back(value);
      }
    }
    for (const int32_t result : results) {
      readers_[index(result)].push_back(-1);
    }
    for (int32_t value = num_values() - 1; value >= 0; --value) {
      if (is_generated(value)) {
        place(value);
      }
    }
    std::vector<GeneratedPart> parts;
    for (int32_t value = 0; value < num_values(); ++value) {
      const bool is_root = root_of_[index(value)] == value;
      if (is_root && std::count(root_of_.begin(), root_of_.end(), value) > 1) {
        if (std::optional<GeneratedPart> part = part_of(value)) {
          parts.push_back(std::move(*part));
        }
      }
    }
    return parts;
  }

 private:
  static size_t index(int32_t value) { return static_cast<size_t>(value); }
  int32_t num_values() const { return static_cast<int32_t>(values_.size()); }

  std::span<const int32_t> arguments_of(int32_t value) const {
    const auto* from = std::get_if<FromFunction>(&values_[index(value)].from);
    return from == nullptr
               ? std::span<const int32_t>()
               : std::span(from->arguments).first(static_cast<size_t>(from->num_arguments));
  }

  bool is_constant(int32_t value) const {
    return std::holds_alternative<BlockProgram::FromConstant>(values_[index(value)].from);
  }

  /// Adds a value from outside of the part to a formula.
  int32_t add_input(generated::Formula& formula, int32_t value,
                    std::vector<int32_t>& inputs) const {
    const Value& of = values_[index(value)];
    if (const auto* constant = std::get_if<BlockProgram::FromConstant>(&of.from)) {
      return formula.constant(constant->value, of.type);
    }
    const auto known = std::find(inputs.begin(), inputs.end(), value);
    const auto position = static_cast<int32_t>(known - inputs.begin());
    if (known == inputs.end()) {
      inputs.push_back(value);
    }
    return as_.has_uniform_in_code && as_.is_uniform[index(value)]
               ? formula.uniform(position, of.type)
               : formula.argument(position, of.type);
  }

  bool is_generated(int32_t value) const {
    const std::span<const int32_t> read = arguments_of(value);
    const bool has_types = std::all_of(read.begin(), read.end(), [this](int32_t argument) {
      return generated::is_generated(values_[index(argument)].type);
    });
    if (read.empty() || !has_types) {
      return false;
    }
    generated::Formula formula;
    std::vector<int32_t> inputs;
    std::vector<int32_t> arguments;
    for (const int32_t argument : read) {
      arguments.push_back(add_input(formula, argument, inputs));
    }
    return generated::add_function(formula, as_.names[index(value)], arguments,
                                   values_[index(value)].type)
        .has_value();
  }

  /// Puts a function into the part of all its readers, or begins a part with it.
  void place(int32_t value) {
    const std::vector<int32_t>& readers = readers_[index(value)];
    const int32_t reader = readers.empty() ? -1 : readers[0];
    const int32_t root = reader < 0 ? -1 : root_of_[index(reader)];
    const bool is_read_there =
        root >= 0 && std::all_of(readers.begin(), readers.end(), [&](int32_t other) {
          return other >= 0 && root_of_[index(other)] == root;
        });
    const bool varies_as_it =
        root >= 0 &&
        (as_.has_uniform_in_code || as_.is_uniform[index(value)] == as_.is_uniform[index(root)]);
    if (is_read_there && varies_as_it) {
      std::set<int32_t> inputs = inputs_of_[index(root)];
      inputs.erase(value);
      add_inputs(value, inputs);
      if (inputs.size() <= std::tuple_size_v<decltype(FromFunction::arguments)>) {
        root_of_[index(value)] = root;
        inputs_of_[index(root)] = std::move(inputs);
        return;
      }
    }
    root_of_[index(value)] = value;
    add_inputs(value, inputs_of_[index(value)]);
  }

  void add_inputs(int32_t value, std::set<int32_t>& inputs) const {
    for (const int32_t argument : arguments_of(value)) {
      if (!is_constant(argument)) {
        inputs.insert(argument);
      }
    }
  }

  /// Returns the part of a root; none if the root only repeats another function's result.
  std::optional<GeneratedPart> part_of(int32_t root) const {
    GeneratedPart part{root, {}, {}};
    std::vector<int32_t> step_of(values_.size(), -1);
    for (int32_t value = 0; value <= root; ++value) {
      if (root_of_[index(value)] != root) {
        continue;
      }
      std::vector<int32_t> arguments;
      for (const int32_t argument : arguments_of(value)) {
        const bool is_inner = root_of_[index(argument)] == root;
        arguments.push_back(is_inner ? step_of[index(argument)]
                                     : add_input(part.formula, argument, part.inputs));
      }
      step_of[index(value)] = *generated::add_function(part.formula, as_.names[index(value)],
                                                       arguments, values_[index(value)].type);
    }
    const auto last = static_cast<int32_t>(part.formula.steps().size()) - 1;
    return step_of[index(root)] == last ? std::optional(std::move(part)) : std::nullopt;
  }

  const std::vector<Value>& values_;
  const GeneratedAs& as_;
  std::vector<std::vector<int32_t>> readers_;  // -1: a result
  std::vector<int32_t> root_of_;               // of the part that a value is in, -1: of none
  std::vector<std::set<int32_t>> inputs_of_;   // of the part with this root
};

}  // namespace

std::vector<GeneratedPart> generated_parts(const std::vector<Value>& values,
                                           const std::vector<int32_t>& results,
                                           const GeneratedAs& as) {
  return Parts(values, as).run(results);
}

}  // namespace tessera::kernels
