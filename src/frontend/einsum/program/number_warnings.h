#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/resolved.h"

namespace tessera::frontend {

/// The places of a number and of the argument beside it, whose dtype it takes.
struct NumberPlace {
  SourceSpan number;
  SourceSpan beside;
};

/// Warns of numbers that become 0 or infinite in the dtype of what stands beside them: `h / 100000`
/// divides an f16 by infinity.
class NumberWarnings {
 public:
  explicit NumberWarnings(Diagnostics& warnings) : warnings_(warnings) {}

  /// Warns of a number in a call or a conversion; `place` is known for one of two arguments.
  void add(const LostNumber& lost, const ResolvedNode& node,
           const std::optional<NumberPlace>& place);

 private:
  std::string text_between(int64_t begin, int64_t end) const;

  Diagnostics& warnings_;
};

}  // namespace tessera::frontend
