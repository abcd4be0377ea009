#include "optimizer/partition/model/reading.h"

#include <algorithm>
#include <utility>

namespace tessera::optimizer::partition {

std::vector<Reading> readings_of(const einsum::Op& statement) {
  std::vector<Reading> readings;
  for (const expr::Scalar* expression : einsum::expressions_of(statement)) {
    for (const expr::Access* access : expr::accesses_of(*expression)) {
      Reading reading{access->operand, access->index};
      if (std::find(readings.begin(), readings.end(), reading) == readings.end()) {
        readings.push_back(std::move(reading));
      }
    }
  }
  return readings;
}

expr::Scalar over_readings(expr::Scalar body, const std::vector<Reading>& readings) {
  expr::for_each_access(body, [&](expr::Access& access, DType) {
    const auto found =
        std::find(readings.begin(), readings.end(), Reading{access.operand, access.index});
    access.operand = static_cast<int32_t>(found - readings.begin());
  });
  return body;
}

std::vector<bool> whole_labels(const einsum::Op& statement) {
  std::vector<bool> whole(einsum::labels_of(statement).size(), false);
  for (const Reading& reading : readings_of(statement)) {
    for (const expr::Index& index : reading.index) {
      if (!expr::is_plain(index)) {
        expr::for_each_label(
            index, [&](expr::LabelNumber label) { whole[static_cast<size_t>(label)] = true; });
      }
    }
  }
  return whole;
}

}  // namespace tessera::optimizer::partition
