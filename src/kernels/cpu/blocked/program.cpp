#include "kernels/cpu/blocked/program.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "types/native.h"

namespace tessera::kernels {

struct BlockProgram::Compilation {
  Isa isa;
  std::string& reason;
  const expr::ScalarBuilder& builder;  // of the joined expressions
  std::vector<int32_t> value_of;       // by node of theirs
};

namespace {

bool is_two(const expr::Node& node) {
  const auto* constant = std::get_if<expr::Constant>(&node.op);
  return constant != nullptr &&
         literal_as<std::complex<double>>(constant->value) == std::complex<double>(2);
}

}  // namespace

BlockProgram::BlockProgram(const std::vector<expr::Scalar>& expressions, Isa isa,
                           std::string& reason) {
  expr::ScalarBuilder builder;  // makes equal nodes of all expressions one
  std::vector<int32_t> roots;
  int32_t num_nodes = 0;
  for (const expr::Scalar& expression : expressions) {
    std::vector<int32_t> parameters;
    for (const expr::Node& node : expression.nodes) {
      if (const auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
        const auto position = static_cast<size_t>(parameter->position);
        parameters.resize(std::max(parameters.size(), position + 1), -1);
        parameters[position] = builder.parameter(parameter->position, node.dtype);
        num_nodes = std::max(num_nodes, parameters[position] + 1);
      }
    }
    roots.push_back(builder.inline_scalar(expression, parameters));
    num_nodes = std::max(num_nodes, roots.back() + 1);
  }
  Compilation compilation{isa, reason, builder, {}};
  for (int32_t number = 0; number < num_nodes && reason.empty(); ++number) {
    compilation.value_of.push_back(add(compilation, builder.node(number)));
  }
  if (reason.empty() && num_values() > kMaxValues) {
    reason = fmt::format("it computes {} values, more than {}", num_values(), kMaxValues);
  }
  if (reason.empty()) {
    for (const int32_t root : roots) {
      results_.push_back(compilation.value_of[static_cast<size_t>(root)]);
    }
    note_uses();
  }
}

int32_t BlockProgram::add(Compilation& compilation, const expr::Node& node) {
  const DType type = compute_type(node.dtype);
  if (const auto* constant = std::get_if<expr::Constant>(&node.op)) {
    return add_constant(constant->value, type);
  }
  if (const auto* access = std::get_if<expr::Access>(&node.op)) {
    return add_stream(*access, type);
  }
  if (const auto* index = std::get_if<expr::IndexOf>(&node.op)) {
    return add_stream(*index, DType::i64);
  }
  if (const auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
    return append({FromParameter{parameter->position}, type});
  }
  if (const auto* cast = std::get_if<expr::Cast>(&node.op)) {
    const int32_t argument = compilation.value_of[static_cast<size_t>(cast->argument)];
    const DType from = values_[static_cast<size_t>(argument)].type;
    if (from == type) {
      return argument;
    }
    const BlockFunction function = find_block_cast(from, type, compilation.isa);
    if (function == nullptr) {
      compilation.reason = fmt::format("there is no block function that casts {} to {}",
                                       name_of(from), name_of(type));
      return -1;
    }
    return add_function(function, {argument}, type);
  }
  const auto& call = std::get<expr::Call>(node.op);
  expr::FunctionTypes types{{}, type};
  std::vector<int32_t> arguments;
  for (const int32_t argument : call.arguments) {
    arguments.push_back(compilation.value_of[static_cast<size_t>(argument)]);
    types.arguments.push_back(values_[static_cast<size_t>(arguments.back())].type);
  }
  const bool is_square =
      call.function == "power" && is_two(compilation.builder.node(call.arguments[1]));
  if (is_square) {  // the same bits: power multiplies where its exponent is 2
    arguments.pop_back();
    types.arguments.pop_back();
  }
  const BlockFunction function =
      find_block_function(is_square ? "square" : call.function, types, compilation.isa);
  if (function == nullptr ||
      arguments.size() > std::tuple_size_v<decltype(FromFunction::arguments)>) {
    compilation.reason = fmt::format("there is no block function {} with a result of {}",
                                     call.function, name_of(type));
    return -1;
  }
  return add_function(function, arguments, type);
}

int32_t BlockProgram::add_constant(const Literal& value, DType type) {
  const auto bytes = static_cast<size_t>(kBlock * size_of(type));
  auto* const buffer = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{64}));
  constants_.emplace_back(buffer);
  fill_literal(value, type, buffer, kBlock);
  return append({FromConstant{buffer}, type});
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

int64_t BlockProgram::buffer_bytes() const {
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
