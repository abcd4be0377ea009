#include "engine/explain/lower_bound.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/byte_size.h"

namespace tessera::engine {

placement::CommunicationBound ProgramBounds::least() const {
  return {std::min(as_planned.moved_bytes, as_written.moved_bytes),
          std::min(as_planned.moved_or_paged_bytes, as_written.moved_or_paged_bytes)};
}

std::optional<ProgramBounds> bounds_of(const Stages& stages, const Session& session) {
  const Choices* choices = stages.choices();
  if (choices == nullptr || stages.placed() == nullptr || stages.placed()->num_sites == 1 ||
      session.settings().read_again) {
    return std::nullopt;
  }
  const placement::SiteShare share{1 / static_cast<double>(stages.placed()->num_sites),
                                   session.budget().bytes};
  placement::CommunicationBounds planned =
      placement::communication_bounds(choices->optimized, share);
  return ProgramBounds{std::move(planned.statements), planned.program,
                       placement::communication_bounds(choices->bound, share).program};
}

std::string bound_text(const placement::CommunicationBound& bound, int64_t num_sites,
                       int64_t memory_bytes) {
  const auto bytes_text = [](double bytes) { return byte_size_text(static_cast<int64_t>(bytes)); };
  if (bound.moved_or_paged_bytes < 1) {
    return "";
  }
  std::string text =
      fmt::format("lower bound: {} between sites, if each does 1/{} of every statement",
                  bytes_text(bound.moved_bytes), num_sites);
  if (bound.moved_or_paged_bytes > bound.moved_bytes) {
    text += fmt::format("; {} with what is paged for {} on each",
                        bytes_text(bound.moved_or_paged_bytes), byte_size_text(memory_bytes));
  }
  return text;
}

std::optional<double> times_bound(double moved_bytes, const placement::CommunicationBound& bound) {
  return bound.moved_bytes < 1 ? std::nullopt : std::optional(moved_bytes / bound.moved_bytes);
}

}  // namespace tessera::engine
