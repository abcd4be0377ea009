#include "kernels/cpu/scan/scan_loop.h"

#include <string>
#include <vector>

#include "expr/function_ids.h"

namespace tessera::kernels {

namespace {

/// Returns (y + v * z, w * v) of the states (z, w) and (y, v).
std::vector<expr::Scalar> recurrence(DType type) {
  std::vector<expr::Scalar> combine;
  for (const int32_t entry : {0, 1}) {
    expr::ScalarBuilder builder;
    const int32_t state = builder.parameter(entry, type);
    const int32_t factor = builder.parameter(3, type);
    const int32_t product = entry == 0 ? builder.call(expr::id::kMultiply, {factor, state}, type)
                                       : builder.call(expr::id::kMultiply, {state, factor}, type);
    const int32_t merged =
        entry == 0 ? builder.call(expr::id::kAdd, {builder.parameter(2, type), product}, type)
                   : product;
    combine.push_back(builder.finish(merged));
  }
  return combine;
}

}  // namespace

std::optional<ScanEntry> loop_of(const expr::Monoid& monoid, Isa isa) {
  const DType type = monoid.state[0];
  const bool is_recurrent =
      monoid.state == std::vector{type, type} && monoid.combine == recurrence(type);
  const std::optional<std::string> merge =
      is_recurrent ? std::optional<std::string>(kRecurrence) : expr::merging_function(monoid);
  for (const ScanEntry& entry : scan_entries(isa)) {
    if (merge == entry.merge && type == entry.type) {
      return entry;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::kernels
