#include "ir/tra/annihilation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/overload.h"
#include "expr/function_value.h"
#include "types/native.h"

namespace tessera::tra {

namespace {

bool is_zero(const Literal& literal) {
  return std::visit([](const auto& value) { return value == decltype(+value){}; }, literal);
}

/// The largest number up to which a double holds every integer.
constexpr double kLargestInteger = 9007199254740992.0;  // 2^53

/// Returns the number as an element of the dtype; nothing if it is none, or not known to be.
std::optional<double> in_dtype(double value, DType dtype) {
  return visit_compute_type(dtype, [&]<class T>(std::type_identity<T>) -> std::optional<double> {
    if constexpr (std::is_same_v<T, bool>) {
      return value != 0 ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(static_cast<T>(value));
    } else if constexpr (std::is_integral_v<T>) {
      const bool is_exact = std::abs(value) < kLargestInteger && value == std::trunc(value) &&
                            value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                            value <= static_cast<double>(std::numeric_limits<T>::max());
      return is_exact ? std::optional(value) : std::nullopt;
    } else {
      return std::nullopt;  // complex
    }
  });
}

}  // namespace

bool Annihilation::holds(const std::vector<bool>& holds_identity) const {
  if (monoid_.state.size() != 1) {
    return false;
  }
  std::vector<Known> operands;
  for (const bool is_identity : holds_identity) {
    operands.push_back({is_identity});
  }
  bool last = false;
  for (const expr::TileStatement& statement : program_.statements) {
    last = true;
    for (const expr::Scalar& body : statement.bodies) {
      operands.push_back(of_statement(statement, of_scalar(body, operands)));
      last = last && operands.back().is_identity;
    }
  }
  return last;
}

/// Derives a statement's result: merged identities give the identity.
Annihilation::Known Annihilation::of_statement(const expr::TileStatement& statement,
                                               const Known& body) const {
  const expr::Monoid* monoid = expr::monoid_of(statement);
  if (monoid == nullptr) {
    return body;
  }
  return {body.is_identity && monoid->name == monoid_.name};
}

Annihilation::Known Annihilation::of_scalar(const expr::Scalar& body,
                                            const std::vector<Known>& operands) const {
  std::vector<Known> nodes;
  for (const expr::Node& node : body.nodes) {
    nodes.push_back(std::visit(
        Overload{[&](const expr::Constant& constant) {
                   return is_identity(constant.value, node.dtype)
                              ? Known{true, identity_in(node.dtype)}
                              : with_value(literal_as<double>(constant.value), node.dtype);
                 },
                 [&](const expr::Access& access) {
                   return of_access(access, node.dtype,
                                    operands[static_cast<size_t>(access.operand)]);
                 },
                 [](const expr::IndexOf&) { return Known{}; },
                 [](const expr::Parameter&) { return Known{}; },
                 [&](const expr::Call& call) { return of_call(call, node.dtype, nodes); },
                 [&](const expr::Cast& cast) {
                   const auto argument = static_cast<size_t>(cast.argument);
                   return of_cast(body.nodes[argument].dtype, node.dtype, nodes[argument]);
                 }},
        node.op));
  }
  return nodes.back();
}

/// Derives an access: outside of the operand it may have the value of a pad.
Annihilation::Known Annihilation::of_access(const expr::Access& access, DType dtype,
                                            const Known& operand) const {
  const bool stays =
      std::all_of(access.index.begin(), access.index.end(), [&](const expr::Index& index) {
        return std::visit(Overload{[](const expr::Inside&) { return true; },
                                   [&](const expr::Pad& pad) {
                                     return operand.is_identity && is_identity(pad.value, dtype);
                                   },
                                   [](const expr::Edge&) { return true; },
                                   [](const expr::Reflect&) { return true; }},
                          expr::boundary_of(index));
      });
  if (!stays) {
    return {};
  }
  return operand.is_identity ? Known{true, identity_in(dtype)} : operand;
}

Annihilation::Known Annihilation::of_call(const expr::Call& call, DType dtype,
                                          const std::vector<Known>& nodes) const {
  std::vector<double> values;
  bool meets_identity = false;
  for (const int32_t argument : call.arguments) {
    const Known& known = nodes[static_cast<size_t>(argument)];
    meets_identity = meets_identity || known.is_identity;
    if (known.value) {
      values.push_back(*known.value);
    }
  }
  if (meets_identity && functions_.annihilates(call.function, monoid_.name, dtype)) {
    return {true, identity_in(dtype)};
  }
  return values.size() == call.arguments.size()
             ? with_value(expr::value_of(call.function, values), dtype)
             : Known{};
}

Annihilation::Known Annihilation::of_cast(DType from, DType to, const Known& argument) const {
  const bool both_have_it = is_zero(monoid_.identity.front()) || (is_float(from) && is_float(to));
  return argument.is_identity && both_have_it ? Known{true, identity_in(to)}
                                              : with_value(argument.value, to);
}

/// True if e is a number of the dtype too.
bool Annihilation::has_identity(DType dtype) const {
  const Literal& identity = monoid_.identity.front();
  const DType state = monoid_.state.front();
  return dtype == state || is_zero(identity) ||
         (is_float(dtype) && is_float(state) && std::isinf(literal_as<double>(identity)));
}

std::optional<double> Annihilation::identity_in(DType dtype) const {
  return has_identity(dtype) ? in_dtype(literal_as<double>(monoid_.identity.front()), dtype)
                             : std::nullopt;
}

Annihilation::Known Annihilation::with_value(std::optional<double> value, DType dtype) const {
  const std::optional<double> stored = value ? in_dtype(*value, dtype) : std::nullopt;
  return {stored && stored == identity_in(dtype), stored};
}

bool Annihilation::is_identity(const Literal& value, DType dtype) const {
  return has_identity(dtype) && visit_compute_type(dtype, [&]<class T>(std::type_identity<T>) {
           return literal_as<T>(value) == literal_as<T>(monoid_.identity.front());
         });
}

}  // namespace tessera::tra
