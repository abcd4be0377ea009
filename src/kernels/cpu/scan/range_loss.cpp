#include "kernels/cpu/scan/range_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::kernels {

namespace {

/// Returns the loss of one number. An infinity or NaN before the part stays, so nothing is lost.
template <class T>
RangeLoss loss_of(T before, T part, T merged) noexcept {
  const bool overflows = !std::isfinite(merged) &&
                         (std::isfinite(before) || (!std::isnan(before) && std::isnan(merged)));
  const bool is_tiny = std::abs(part) < std::numeric_limits<T>::min();
  if (overflows || (is_tiny && part != 0 && merged != before)) {
    return RangeLoss::some;
  }
  return is_tiny && merged == 0 && before != 0 ? RangeLoss::zero : RangeLoss::none;
}

/// True if all parts are normal numbers, or 0 and merged to another number, and their merges are
/// finite: then nothing is lost. Without branches, because it runs for every part.
template <class T>
bool are_ordinary(const T* part, const T* merged, int64_t count) noexcept {
  bool are = true;
  for (int64_t at = 0; at < count; ++at) {
    const bool is_normal = std::abs(part[at]) >= std::numeric_limits<T>::min();
    const bool is_zero_alone = (part[at] == 0) & (merged[at] != 0);
    const bool is_finite = merged[at] - merged[at] == 0;
    are &= (is_normal | is_zero_alone) & is_finite;
  }
  return are;
}

/// Calls visit(before, part, merged, number of T in a state) for every entry of floats.
template <class Visit>
void for_each_float_entry(const expr::Monoid& monoid, const MergedStates& states, Visit visit) {
  const auto call = [&]<class T>(size_t entry, T, int64_t numbers) {
    visit(reinterpret_cast<const T*>(states.before[entry]),
          reinterpret_cast<const T*>(states.part[entry]),
          reinterpret_cast<const T*>(states.merged[entry]), numbers);
  };
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    switch (monoid.state[entry]) {
      case DType::f32:
        call(entry, float{}, 1);
        break;
      case DType::f64:
        call(entry, double{}, 1);
        break;
      case DType::c64:
        call(entry, float{}, 2);
        break;
      case DType::c128:
        call(entry, double{}, 2);
        break;
      default:
        break;
    }
  }
}

}  // namespace

RangeLoss range_loss(const expr::Monoid& monoid, const MergedStates& states,
                     int64_t line) noexcept {
  RangeLoss loss = RangeLoss::none;
  for_each_float_entry(
      monoid, states,
      [&](const auto* before, const auto* part, const auto* merged, int64_t numbers) {
        for (int64_t at = line * numbers; at < (line + 1) * numbers; ++at) {
          loss = std::max(loss, loss_of(before[at], part[at], merged[at]));
        }
      });
  return loss;
}

bool loses_range(const expr::Monoid& monoid, const MergedStates& states, int64_t count) noexcept {
  bool loses = false;
  for_each_float_entry(
      monoid, states,
      [&](const auto* before, const auto* part, const auto* merged, int64_t numbers) {
        const int64_t all = count * numbers;
        for (int64_t at = are_ordinary(part, merged, all) ? all : 0; at < all && !loses; ++at) {
          loses = loss_of(before[at], part[at], merged[at]) != RangeLoss::none;
        }
      });
  return loses;
}

}  // namespace tessera::kernels
