#include "engine/explain/precision.h"

#include <fmt/format.h>

#include "kernels/precision.h"

namespace tessera::engine {

std::optional<std::string> precision_note(const Session& session) {
  const kernels::Precision precision = session.settings().precision;
  const auto reason = kernels::why_f32(precision, session.setup().machine());
  return reason ? std::optional(fmt::format("precision {}: {}, so that products are of f32",
                                            kernels::name_of(precision), *reason))
                : std::nullopt;
}

}  // namespace tessera::engine
