#include "kernels/reference/find_fault.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/function_ids.h"
#include "expr/guard.h"
#include "kernels/reference/interpreter.h"
#include "kernels/reference/scalar_code.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kElementsOfPiece = 65536;
constexpr std::chrono::seconds kLongest(1);

bool overlaps(const KernelCall& call) {
  return std::any_of(call.outputs.begin(), call.outputs.end(), [&](const TileView& output) {
    return std::any_of(call.inputs.begin(), call.inputs.end(),
                       [&](const TileView& input) { return input.data == output.data; });
  });
}

/// Returns the ranges to search. An element's group number does not depend on the position of the
/// group's label, so one position of that label is enough.
std::vector<LabelRange> ranges_searched(const expr::TileProgram& program,
                                        std::span<const LabelRange> given) {
  std::vector<LabelRange> ranges(given.begin(), given.end());
  if (program.statements.size() == 1 && program.statements.front().bodies.size() == 1) {
    const expr::TileStatement& statement = program.statements.front();
    for (const expr::LabelNumber label :
         expr::group_labels(statement.bodies.front(), statement.out)) {
      LabelRange& range = ranges[static_cast<size_t>(label)];
      range.length = std::min<int64_t>(range.length, 1);
    }
  }
  return ranges;
}

/// Returns the number of positions of the longest label in a piece.
int64_t length_of_piece(const std::vector<LabelRange>& ranges, size_t longest) {
  double others = 1;
  for (size_t label = 0; label < ranges.size(); ++label) {
    others *= label == longest ? 1 : static_cast<double>(ranges[label].length);
  }
  return std::max<int64_t>(1, static_cast<int64_t>(kElementsOfPiece / std::max(others, 1.0)));
}

std::string text_of(const Element& value, DType dtype) {
  std::string text;
  visit_compute_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    T number{};
    std::memcpy(&number, value.bytes, sizeof(T));
    if constexpr (std::is_arithmetic_v<T>) {
      text = fmt::format("{}", number);
    } else {
      text = fmt::format("({}, {})", number.real(), number.imag());
    }
  });
  return text;
}

/// Returns the values of the arguments of a faulty call; empty if they depend on more than the call
/// reads.
std::vector<std::string> arguments_of(const KernelCall& call, const DataFault& fault) {
  for (const expr::Access* access : expr::accesses_of(*fault.body)) {
    if (static_cast<size_t>(access->operand) >= call.inputs.size()) {
      return {};
    }
  }
  std::vector<OperandView> operands;
  for (const TileView& input : call.inputs) {
    operands.push_back(operand_view_of(input));
  }
  const ScalarCode code(*fault.body);
  std::vector<Element> values(code.num_values());
  const ScalarContext context{fault.labels, operands};
  code.evaluate(context, values);  // up to the call
  std::vector<std::string> texts;
  const auto& at = std::get<expr::Call>(fault.body->nodes[static_cast<size_t>(fault.node)].op);
  for (const int32_t argument : at.arguments) {
    auto number = static_cast<size_t>(argument);
    const auto* cast = std::get_if<expr::Cast>(&fault.body->nodes[number].op);
    const size_t from = cast == nullptr ? number : static_cast<size_t>(cast->argument);
    number = fault.body->nodes[from].dtype == DType::u64 ? from : number;  // not as an index
    texts.push_back(text_of(values[number], fault.body->nodes[number].dtype));
  }
  return texts;
}

/// Returns the place, " where n = 1": the labels that the call depends on; for the number of a
/// group no others.
std::string place_of(const expr::Call& call, const DataFault& fault,
                     const expr::TileProgram& program) {
  const int32_t node = call.function == expr::id::kInGroup ? call.arguments[0] : fault.node;
  std::string where;
  for (const expr::LabelNumber label : expr::labels_below(*fault.body, node)) {
    const auto number = static_cast<size_t>(label);
    where += fmt::format("{}{} = {}", where.empty() ? " where " : ", ", program.labels[number].name,
                         fault.labels[number]);
  }
  return where;
}

std::string describe_group(const std::string& number, const std::string& num_groups,
                           const std::string& where) {
  if (num_groups == "0") {  // a gather from nothing, as there are no elements of 0 groups
    return fmt::format("an index is {}{}, but the mode that it reads has no positions", number,
                       where);
  }
  const std::string found = fmt::format("the group of an element is {}{}", number, where);
  return number.starts_with('-')
             ? found + ", and no group is negative: leave the element out, sum[n where ...]"
             : fmt::format(
                   "{}, and there are {} groups, from 0 on: say that there are more, or leave the "
                   "element out, sum[n where ...]",
                   found, num_groups);
}

std::string describe_call(Status status, const KernelCall& call, const DataFault& fault,
                          const expr::TileProgram& program) {
  const auto& at = std::get<expr::Call>(fault.body->nodes[static_cast<size_t>(fault.node)].op);
  const std::string where = place_of(at, fault, program);
  const std::vector<std::string> values = arguments_of(call, fault);
  const bool has_values = !values.empty();
  switch (status) {
    case Status::integer_division_by_zero:
      return fmt::format(
          "an integer was divided by zero{}{}; where(y != 0, x // y, 0) leaves it out", where,
          has_values ? fmt::format(": {} {} 0", values[0],
                                   at.function == expr::id::kFloorDivide ? "//" : "%")
                     : "");
    case Status::negative_integer_power:
      return fmt::format(
          "an integer was raised to a negative power{}{}, which is no integer: convert first, "
          "f64(x)^y",
          where, has_values ? fmt::format(", {}^{}", values[0], values[1]) : "");
    case Status::no_such_group:
      return has_values ? describe_group(values[0], values[2], where)
                        : describe(status) + "; it is that" + where;
    default:
      return fmt::format(
          "{}{}{}", describe(status),
          has_values ? fmt::format("; this is {}({})", at.function, fmt::join(values, ", ")) : "",
          where);
  }
}

class FaultSearch {
 public:
  FaultSearch(const expr::TileProgram& program, const KernelCall& call, const OperandName& name_of)
      : program_(program),
        call_(call),
        name_of_(name_of),
        ranges_(ranges_searched(program, call.ranges)) {}

  std::optional<std::string> run() {
    const auto start = std::chrono::steady_clock::now();
    const auto longest =
        std::max_element(ranges_.begin(), ranges_.end(),
                         [](const auto& a, const auto& b) { return a.length < b.length; });
    if (longest == ranges_.end()) {
      return look_at_piece();
    }
    const LabelRange whole = *longest;
    const int64_t length = length_of_piece(ranges_, static_cast<size_t>(longest - ranges_.begin()));
    for (int64_t begin = 0; begin < whole.length; begin += length) {
      *longest = {whole.begin + begin, std::min(length, whole.length - begin)};
      if (std::optional<std::string> found = look_at_piece()) {
        return found;
      }
      if (std::chrono::steady_clock::now() - start > kLongest) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> look_at_piece() {
    const CallShape shape{ranges_, false};
    const Interpreter interpreter(program_, shape);
    const int64_t bytes = Interpreter::workspace_bytes(program_, shape);
    std::vector<std::byte> memory(static_cast<size_t>(bytes + kAlignment));
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    std::byte* const workspace = memory.data() + (kAlignment - address % kAlignment) % kAlignment;
    std::vector<int64_t> labels(program_.labels.size());
    DataFault fault{labels};
    const Status status =
        interpreter.run({call_.inputs, call_.outputs, ranges_, false, workspace, &fault});
    if (status == Status::ok || fault.body == nullptr) {
      return std::nullopt;
    }
    if (status != Status::out_of_range) {
      return describe_call(status, call_, fault, program_);
    }
    return describe(fault, program_, name_of_(static_cast<size_t>(fault.operand)));
  }

  const expr::TileProgram& program_;
  const KernelCall& call_;
  const OperandName& name_of_;
  std::vector<LabelRange> ranges_;
};

}  // namespace

std::optional<std::string> find_fault(const expr::TileProgram& program, const KernelCall& call,
                                      const OperandName& name_of) {
  const bool has_whole =
      std::any_of(program.statements.begin(), program.statements.end(),
                  [](const auto& statement) { return expr::whole_of(statement) != nullptr; });
  return has_whole || overlaps(call) ? std::nullopt : FaultSearch(program, call, name_of).run();
}

}  // namespace tessera::kernels
