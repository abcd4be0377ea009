#include "ir/tra/key_predicate.h"

#include <map>
#include <span>
#include <string>

#include "base/overload.h"
#include "expr/functions/add.h"
#include "expr/functions/equal.h"
#include "expr/functions/floor_divide.h"
#include "expr/functions/greater.h"
#include "expr/functions/greater_equal.h"
#include "expr/functions/less.h"
#include "expr/functions/less_equal.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_not.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "expr/functions/negative.h"
#include "expr/functions/not_equal.h"
#include "expr/functions/remainder.h"
#include "expr/functions/subtract.h"

namespace tessera::tra {

namespace {

using Value = std::optional<int64_t>;  // truth values are 0 and 1; nothing: unknown here
using OnIntegers = Value (*)(std::span<const int64_t>);

template <class F>
Value on_two(int64_t x, int64_t y) {
  if constexpr (requires { F::faults(x, y); }) {
    if (F::faults(x, y)) {
      return std::nullopt;
    }
  }
  return static_cast<int64_t>(F::apply(x, y));
}

template <class F>
Value on_one(int64_t x) {
  return static_cast<int64_t>(F::apply(x));
}

template <class... Two>
void add_two(std::map<std::string, OnIntegers>& table) {
  (table.emplace(Two::kName, [](std::span<const int64_t> x) { return on_two<Two>(x[0], x[1]); }),
   ...);
}

std::map<std::string, OnIntegers> functions_on_integers() {
  namespace code = expr::TESSERA_ISA;
  std::map<std::string, OnIntegers> table;
  add_two<code::Equal, code::NotEqual, code::Less, code::LessEqual, code::Greater,
          code::GreaterEqual, code::Add, code::Subtract, code::Multiply, code::FloorDivide,
          code::Remainder, code::Maximum, code::Minimum>(table);
  table.emplace(code::Negative::kName,
                [](std::span<const int64_t> x) { return on_one<code::Negative>(x[0]); });
  table.emplace(code::LogicalNot::kName, [](std::span<const int64_t> x) -> Value {
    return code::LogicalNot::apply(x[0] != 0);
  });
  table.emplace(code::LogicalAnd::kName, [](std::span<const int64_t> x) -> Value {
    return code::LogicalAnd::apply(x[0] != 0, x[1] != 0);
  });
  table.emplace(code::LogicalOr::kName, [](std::span<const int64_t> x) -> Value {
    return code::LogicalOr::apply(x[0] != 0, x[1] != 0);
  });
  return table;
}

bool is_computed_here(DType dtype) {
  return dtype == DType::i64 || dtype == DType::b1;
}

/// The values of the nodes of a predicate, in order.
class Evaluation {
 public:
  Evaluation(const expr::Scalar& predicate, const Key& key) : predicate_(predicate), key_(key) {}

  Value run() && {
    for (const expr::Node& node : predicate_.nodes) {
      const Value value = is_computed_here(node.dtype) ? value_of(node) : std::nullopt;
      values_.push_back(value && node.dtype == DType::b1 ? Value(*value != 0) : value);
    }
    return values_.back();
  }

 private:
  Value value_of(const expr::Node& node) const {
    return std::visit(Overload{[](const expr::Constant& constant) -> Value {
                                 return literal_as<int64_t>(constant.value);
                               },
                               [](const expr::Access&) -> Value { return std::nullopt; },
                               [&](const expr::IndexOf& index) -> Value {
                                 return key_[static_cast<size_t>(index.label)];
                               },
                               [](const expr::Parameter&) -> Value { return std::nullopt; },
                               [&](const expr::Call& call) { return call_of(call); },
                               [&](const expr::Cast& cast) {
                                 return values_[static_cast<size_t>(cast.argument)];
                               }},
                      node.op);
  }

  Value call_of(const expr::Call& call) const {
    static const std::map<std::string, OnIntegers> table = functions_on_integers();
    const auto function = table.find(call.function);
    std::vector<int64_t> arguments;
    for (const int32_t argument : call.arguments) {
      const Value value = values_[static_cast<size_t>(argument)];
      if (!value) {
        return std::nullopt;
      }
      arguments.push_back(*value);
    }
    return function == table.end() ? std::nullopt : function->second(arguments);
  }

  const expr::Scalar& predicate_;
  const Key& key_;
  std::vector<Value> values_;
};

}  // namespace

std::optional<bool> holds(const expr::Scalar& predicate, const Key& key) {
  const Value value = Evaluation(predicate, key).run();
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace tessera::tra
