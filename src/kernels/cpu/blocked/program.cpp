#include "kernels/cpu/blocked/program.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "kernels/cpu/blocked/composing.h"
#include "kernels/cpu/blocked/generated_parts.h"
#include "kernels/half_casts.h"
#include "kernels/isa/block_table.h"
#include "types/half_rounding.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

/// Several expressions in one builder, with equal nodes merged.
struct JoinedExpressions {
  expr::ScalarBuilder builder;
  std::vector<int32_t> roots;  // by expression
  int32_t num_nodes = 0;
};

JoinedExpressions joined(const std::vector<expr::Scalar>& expressions) {
  JoinedExpressions all;
  for (const expr::Scalar& expression : expressions) {
    std::vector<int32_t> parameters;
    for (const expr::Node& node : expression.nodes) {
      if (const auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
        const auto position = static_cast<size_t>(parameter->position);
        parameters.resize(std::max(parameters.size(), position + 1), -1);
        parameters[position] = all.builder.parameter(parameter->position, node.dtype);
        all.num_nodes = std::max(all.num_nodes, parameters[position] + 1);
      }
    }
    all.roots.push_back(all.builder.inline_scalar(expression, parameters));
    all.num_nodes = std::max(all.num_nodes, all.roots.back() + 1);
  }
  return all;
}

}  // namespace

/// A compiler that adds the nodes of joined expressions to a program, each after its arguments.
/// Returns the value of a node, or why it has none.
class BlockProgram::Compiler {
 public:
  Compiler(BlockProgram& program, const expr::ScalarBuilder& builder, Isa isa)
      : program_(program), builder_(builder), isa_(isa) {}

  std::optional<Refusal> add(const expr::Node& node) {
    dtype_ = node.dtype;
    type_ = compute_type(dtype_);
    OrRefusal<int32_t> value = std::visit(*this, node.op);
    if (!value) {
      return value.refusal();
    }
    value_of_.push_back(*value);
    return std::nullopt;
  }

  int32_t value_of(int32_t node) const { return value_of_[static_cast<size_t>(node)]; }

  /// The function of every value that has one.
  const std::vector<std::string>& names() const { return names_; }

  OrRefusal<int32_t> operator()(const expr::Constant& constant) {
    return program_.append({FromConstant{constant.value}, type_});
  }
  OrRefusal<int32_t> operator()(const expr::Access& access) {
    return program_.add_stream(access, type_);
  }
  OrRefusal<int32_t> operator()(const expr::IndexOf& index) {
    return program_.add_stream(index, DType::i64);
  }
  OrRefusal<int32_t> operator()(const expr::Parameter& parameter) {
    if (parameter.position >= kMaxParameters) {
      return Refusal{fmt::format("it has more than {} parameters", kMaxParameters)};
    }
    return program_.append({FromParameter{parameter.position}, type_});
  }
  OrRefusal<int32_t> operator()(const expr::Cast& cast);
  OrRefusal<int32_t> operator()(const expr::Call& call);

 private:
  std::optional<int32_t> power_by_constant(const expr::Call& call,
                                           const std::vector<int32_t>& arguments);
  DType type_of(int32_t value) const { return program_.values_[static_cast<size_t>(value)].type; }

  int32_t add_named(const std::string& name, BlockFunction function,
                    const std::vector<int32_t>& arguments) {
    const int32_t value = program_.add_function(function, arguments, type_);
    program_.takes_long_ = program_.takes_long_ || kernels::takes_long(name);
    names_.resize(static_cast<size_t>(value) + 1);
    names_.back() = name;
    return value;
  }

  BlockProgram& program_;
  const expr::ScalarBuilder& builder_;
  Isa isa_;
  DType dtype_ = DType::f32;  // of the current node
  DType type_ = DType::f32;   // that it is computed in
  std::vector<int32_t> value_of_;
  std::vector<std::string> names_;
};

OrRefusal<int32_t> BlockProgram::Compiler::operator()(const expr::Cast& cast) {
  const int32_t argument = value_of(cast.argument);
  const DType stored = builder_.node(cast.argument).dtype;
  if (rounds_to_half(stored, dtype_)) {
    return add_named(half_cast_name(dtype_), find_half_cast(stored, dtype_), {argument});
  }
  const DType from = type_of(argument);
  if (from == type_) {
    return argument;
  }
  const BlockFunction function = find_block_cast(from, type_, isa_);
  if (function == nullptr) {
    return Refusal{fmt::format("there is no block function that casts {} to {}", name_of(from),
                               name_of(type_))};
  }
  return add_named(kCastName, function, {argument});
}

OrRefusal<int32_t> BlockProgram::Compiler::operator()(const expr::Call& call) {
  expr::FunctionTypes types{{}, type_};
  std::vector<int32_t> arguments;
  for (const int32_t argument : call.arguments) {
    arguments.push_back(value_of(argument));
    types.arguments.push_back(type_of(arguments.back()));
  }
  if (call.function == expr::id::kPower) {
    if (const std::optional<int32_t> power = power_by_constant(call, arguments)) {
      return *power;
    }
  }
  const BlockFunction function = find_block_function(call.function, types, isa_);
  if (function == nullptr ||
      arguments.size() > std::tuple_size_v<decltype(FromFunction::arguments)>) {
    return Refusal{fmt::format("there is no block function {} with a result of {}", call.function,
                               name_of(type_))};
  }
  return add_named(call.function, function, arguments);
}

/// Returns a power without a logarithm: squares and cubes are products, of the same bits.
std::optional<int32_t> BlockProgram::Compiler::power_by_constant(
    const expr::Call& call, const std::vector<int32_t>& arguments) {
  const auto* const exponent = std::get_if<expr::Constant>(&builder_.node(call.arguments[1]).op);
  if (exponent == nullptr) {
    return std::nullopt;
  }
  const int32_t x = arguments[0];
  const bool is_cube = expr::is_constant(builder_.node(call.arguments[1]), 3);
  if (is_cube || expr::is_constant(builder_.node(call.arguments[1]), 2)) {
    const BlockFunction square = find_block_function(expr::id::kSquare, {{type_}, type_}, isa_);
    const BlockFunction multiply =
        find_block_function(expr::id::kMultiply, {{type_, type_}, type_}, isa_);
    const int32_t squared = add_named(expr::id::kSquare, square, {x});
    return is_cube ? add_named(expr::id::kMultiply, multiply, {squared, x}) : squared;
  }
  const BlockFunction function = find_half_power(type_, exponent->value, isa_);
  return function == nullptr ? std::nullopt
                             : std::optional(add_named(call.function, function, arguments));
}

OrRefusal<BlockProgram> BlockProgram::compile(const std::vector<expr::Scalar>& expressions, Isa isa,
                                              const Generation* generation) {
  const JoinedExpressions all = joined(expressions);
  BlockProgram program;
  Compiler compiler(program, all.builder, isa);
  for (int32_t number = 0; number < all.num_nodes; ++number) {
    if (std::optional<Refusal> refusal = compiler.add(all.builder.node(number))) {
      return std::move(*refusal);
    }
  }
  if (program.num_values() > kMaxValues) {
    return Refusal{
        fmt::format("it computes {} values, more than {}", program.num_values(), kMaxValues)};
  }
  for (const int32_t root : all.roots) {
    program.results_.push_back(compiler.value_of(root));
  }
  if (generation != nullptr) {
    program.take_generated(*generation, compiler.names());
  }
  program.finish(isa);
  program.buffer_bytes_ = program.bytes_of_all_values();
  return program;
}

/// Returns, by value, true if it has one value in a whole block, given streams that do.
std::vector<bool> BlockProgram::uniform_values(const std::vector<bool>& uniform_streams) const {
  std::vector<bool> is_uniform;
  for (const Value& value : values_) {
    is_uniform.push_back(std::visit(
        Overload{[](const FromConstant&) { return true; },
                 [&](const FromStream& from) {
                   return static_cast<bool>(uniform_streams[static_cast<size_t>(from.stream)]);
                 },
                 [](const FromParameter&) { return false; },
                 [&](const FromFunction& from) {
                   return std::all_of(
                       from.arguments.begin(), from.arguments.begin() + from.num_arguments,
                       [&](int32_t argument) { return is_uniform[static_cast<size_t>(argument)]; });
                 }},
        value.from));
  }
  return is_uniform;
}

int BlockProgram::num_functions(const std::vector<bool>& uniform_streams) const {
  const std::vector<bool> is_uniform = uniform_values(uniform_streams);
  int functions = 0;
  for (size_t value = 0; value < values_.size(); ++value) {
    const bool is_used = values_[value].last_use >= 0 && !is_uniform[value];
    functions += is_used && std::holds_alternative<FromFunction>(values_[value].from) ? 1 : 0;
  }
  return functions;
}

std::optional<BlockProgram> BlockProgram::merged_by(const std::string& merge,
                                                    const std::vector<bool>& uniform_streams,
                                                    Isa isa) const {
  const auto root = static_cast<size_t>(results_[0]);
  const auto* const from = std::get_if<FromFunction>(&values_[root].from);
  if (from == nullptr) {
    return std::nullopt;
  }
  const std::vector<bool> is_uniform = uniform_values(uniform_streams);
  uint32_t uniform_arguments = 0;
  for (int32_t argument = 0; argument < from->num_arguments; ++argument) {
    const auto value = static_cast<size_t>(from->arguments[static_cast<size_t>(argument)]);
    uniform_arguments |= is_uniform[value] ? uint32_t{1} << argument : 0;
  }
  const MergedFunction* const found = find_merged(merge, uniform_arguments, isa);
  if (found == nullptr) {
    return std::nullopt;
  }
  BlockProgram merging = *this;
  auto& merged = std::get<FromFunction>(merging.values_[root].from);
  merged.function = found->merged;
  merged.reads_firsts = true;
  merging.merges_ = true;
  merging.finish(isa);
  return merging;
}

const MergedFunction* BlockProgram::columns_merged_by(const std::string& merge, Isa isa) const {
  const MergedFunction* const found = find_merged(merge, 0, isa);
  return found == nullptr || found->merged_columns == nullptr ? nullptr : found;
}

/// Finds the merging form of the function that makes the first result.
const MergedFunction* BlockProgram::find_merged(const std::string& merge,
                                                uint32_t uniform_arguments, Isa isa) const {
  const auto* const from =
      std::get_if<FromFunction>(&values_[static_cast<size_t>(results_[0])].from);
  const std::span<const MergedFunction> all = merged_functions(isa);
  const auto found = std::find_if(all.begin(), all.end(), [&](const MergedFunction& entry) {
    return from != nullptr && entry.function == from->function &&
           entry.uniform_arguments == uniform_arguments && entry.merge == merge;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Composes functions after they are all known.
void BlockProgram::finish(Isa isa) {
  if (merges_) {
    results_.resize(1);
  }
  values_ = composed(std::move(values_), results_, isa);
  note_uses();
}

/// Calls generated code if there is some; nothing then reads the functions it replaces.
void BlockProgram::take_generated(const Generation& generation,
                                  const std::vector<std::string>& names) {
  const std::vector<bool> is_uniform = uniform_values(generation.uniform_streams);
  const auto parts_as = [&](bool has_uniform_in_code) {
    return generated_parts(values_, results_, {names, is_uniform, has_uniform_in_code});
  };
  const auto is_result = [this](const GeneratedPart& part) { return part.root == results_[0]; };
  std::vector<GeneratedPart> parts = parts_as(generation.merge.has_value());
  reads_firsts_ = generation.merge && !is_uniform[static_cast<size_t>(results_[0])] &&
                  std::any_of(parts.begin(), parts.end(), is_result);
  if (generation.merge && !reads_firsts_) {
    parts = parts_as(false);
  }
  for (GeneratedPart& part : parts) {
    const bool is_merged = reads_firsts_ && is_result(part);
    if (is_merged) {
      part.formula.merge_by(*generation.merge);
    }
    if (const std::shared_ptr<const generated::Code> code = generation.code_of(part.formula)) {
      FromFunction from{
          code->function(), {}, static_cast<int32_t>(part.inputs.size()), reads_firsts_};
      std::copy(part.inputs.begin(), part.inputs.end(), from.arguments.begin());
      values_[static_cast<size_t>(part.root)].from = from;
      code_.push_back(code);
      merges_ = merges_ || is_merged;
    }
  }
}

int32_t BlockProgram::add_stream(std::variant<expr::Access, expr::IndexOf> stream, DType type) {
  const auto known = std::find(streams_.begin(), streams_.end(), stream);
  const auto number = static_cast<int32_t>(known - streams_.begin());
  if (known == streams_.end()) {
    streams_.push_back(std::move(stream));
  }
  return append({FromStream{number}, type});
}

int32_t BlockProgram::add_function(BlockFunction function, const std::vector<int32_t>& arguments,
                                   DType type) {
  FromFunction from{function, {}, static_cast<int32_t>(arguments.size())};
  std::copy(arguments.begin(), arguments.end(), from.arguments.begin());
  return append({from, type});
}

int32_t BlockProgram::append(Value value) {
  values_.push_back(value);
  return num_values() - 1;
}

void BlockProgram::note_uses() {
  for (int32_t number = 0; number < num_values(); ++number) {
    if (const auto* from = std::get_if<FromFunction>(&values_[static_cast<size_t>(number)].from)) {
      for (int32_t position = 0; position < from->num_arguments; ++position) {
        values_[static_cast<size_t>(from->arguments[static_cast<size_t>(position)])].last_use =
            number;
      }
    }
  }
  for (const int32_t result : results_) {
    values_[static_cast<size_t>(result)].last_use = num_values();
  }
}

int64_t BlockProgram::bytes_of_all_values() const {
  int64_t bytes = 0;
  for (const Value& value : values_) {
    bytes += kBlock * size_of(value.type);
  }
  return bytes;
}

void fill_literal(const Literal& value, DType type, void* buffer, int64_t count) {
  visit_compute_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(static_cast<T*>(buffer), count, literal_as<T>(value));
  });
}

}  // namespace tessera::kernels
