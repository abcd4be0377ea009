#include "frontend/einsum/program/positions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::frontend {

namespace {

template <size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// True if the result is a truth value, whose arguments keep their dtypes.
bool is_truth_value(const std::string& function) {
  return is_among(std::to_array<std::string_view>(
                      {expr::id::kEqual, expr::id::kNotEqual, expr::id::kLess, expr::id::kLessEqual,
                       expr::id::kGreater, expr::id::kGreaterEqual, expr::id::kLogicalNot,
                       expr::id::kLogicalAnd, expr::id::kLogicalOr}),
                  function);
}

/// True if the aggregate's results are made of its elements, not of their positions.
bool gives_elements(const std::string& aggregate) {
  return !is_among(std::to_array<std::string_view>({"any", "all", "argmax", "argmin"}), aggregate);
}

class PositionMarker {
 public:
  explicit PositionMarker(ResolvedExpression& statement) : statement_(statement) {}

  void run() {
    for (const ResolvedNode& node : statement_.nodes) {
      std::visit(Overload{[](const Among<Literal, ResolvedIndex, ResolvedSize, ResolvedParameter,
                                         ResolvedCast, ResolvedReduction, ResolvedScan,
                                         ResolvedWhole, ResolvedConcat> auto&) {},
                          [&](const ResolvedRead& read) {
                            for (const ModeIndex& mode : read.index) {
                              if (const auto* gather = std::get_if<GatherIndex>(&mode)) {
                                mark(gather->node);
                              }
                            }
                          },
                          [&](const ResolvedCall& call) {
                            if (call.function == expr::id::kInGroup || call.function == kPosition) {
                              mark(call.arguments[0]);
                            }
                          }},
                 node.of);
    }
  }

 private:
  void mark(int32_t number) {
    ResolvedNode& node = statement_.nodes[static_cast<size_t>(number)];
    node.is_position = true;
    std::visit(Overload{[](const Among<Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                                       ResolvedParameter, ResolvedWhole> auto&) {},
                        [&](const ResolvedCall& call) { mark_arguments(call); },
                        [&](const ResolvedCast& cast) { mark(cast.argument); },
                        [&](const ResolvedReduction& reduction) {
                          if (gives_elements(reduction.aggregate)) {
                            mark(reduction.argument);
                          }
                        },
                        [&](const ResolvedScan& scan) {
                          if (gives_elements(scan.aggregate)) {
                            std::for_each(scan.arguments.begin(), scan.arguments.end(),
                                          [&](int32_t argument) { mark(argument); });
                          }
                        },
                        [&](const ResolvedConcat& concat) {
                          for (const ResolvedConcat::Part& part : concat.parts) {
                            mark(part.argument);
                          }
                        }},
               node.of);
  }

  void mark_arguments(const ResolvedCall& call) {
    if (is_truth_value(call.function)) {
      return;
    }
    const bool chooses = call.function == expr::id::kWhere || call.function == expr::id::kOnly;
    for (size_t argument = chooses ? 1 : 0; argument < call.arguments.size(); ++argument) {
      mark(call.arguments[argument]);
    }
  }

  ResolvedExpression& statement_;
};

}  // namespace

void mark_positions(ResolvedExpression& statement) {
  PositionMarker(statement).run();
}

}  // namespace tessera::frontend
