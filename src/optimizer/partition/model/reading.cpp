#include "optimizer/partition/model/reading.h"

#include <algorithm>
#include <utility>

namespace tessera::optimizer::partition {

std::vector<Reading> readings_of(const einsum::EinSum& einsum) {
  std::vector<Reading> readings;
  for (const expr::Access* access : expr::accesses_of(einsum.body)) {
    Reading reading{access->operand, access->index};
    if (std::find(readings.begin(), readings.end(), reading) == readings.end()) {
      readings.push_back(std::move(reading));
    }
  }
  return readings;
}

std::vector<bool> whole_labels(const einsum::EinSum& einsum) {
  std::vector<bool> whole(einsum.labels.size(), false);
  for (const expr::Access* access : expr::accesses_of(einsum.body)) {
    for (const expr::Index& index : access->index) {
      if (!expr::is_plain(index)) {
        expr::for_each_label(
            index, [&](expr::LabelNumber label) { whole[static_cast<size_t>(label)] = true; });
      }
    }
  }
  return whole;
}

}  // namespace tessera::optimizer::partition
