#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/shared.h"
#include "expr/hash.h"
#include "expr/tile_program.h"
#include "ir/tra/graph.h"
#include "kernels/context.h"
#include "kernels/kernel.h"

namespace tessera::optimizer {

/// The most calls that are remembered. In a long program whose statements all differ, more would
/// take more memory than the statements, and few are asked for again.
inline constexpr size_t kMostKnownCalls = 1024;

/// A memory of values for programs on calls of one size. Calls are equal if they are equal in every
/// part; the hash only finds the place.
///
/// It is cleared beyond kMostKnownCalls.
/// Beyond kMostKnownCalls it forgets all.
template <class Value>
class KnownCalls {
 public:
  /// Returns null if the value is unknown.
  const Value* find(const expr::TileProgram& program, const kernels::CallShape& shape) const {
    const auto [first, last] = known_.equal_range(hash_of(program, shape));
    for (auto place = first; place != last; ++place) {
      const Call& call = place->second;
      if (call.shape == shape && *call.program == program) {
        return &call.value;
      }
    }
    return nullptr;
  }

  /// Adds a value. REQUIRES that it is unknown.
  const Value& add(Shared<expr::TileProgram> program, kernels::CallShape shape, Value value) {
    if (known_.size() == kMostKnownCalls) {
      known_.clear();
    }
    const size_t hash = hash_of(program, shape);
    return known_.emplace(hash, Call{std::move(program), std::move(shape), std::move(value)})
        ->second.value;
  }

 private:
  struct Call {
    Shared<expr::TileProgram> program;
    kernels::CallShape shape;
    Value value;
  };

  static size_t hash_of(const expr::TileProgram& program, const kernels::CallShape& shape) {
    size_t hash = expr::hash_of(program);
    for (const kernels::LabelRange& range : shape.ranges) {
      hash = expr::mixed(hash, static_cast<size_t>(range.length));
    }
    return hash;
  }

  std::unordered_multimap<size_t, Call> known_;
};

/// Returns the call of a program for the largest tile of a relation with that key.
kernels::CallShape largest_call(const expr::TileProgram& program,
                                const std::vector<tra::KeyDim>& key);

/// The costs of calls. A graph has many equal statements and groups of them, and each is planned
/// once. Lives as long as one graph is rewritten. Borrows the context.
class CallCosts {
 public:
  explicit CallCosts(const kernels::Context& context) : context_(context) {}

  /// Returns the seconds by the cheapest kernel; infinite if none runs the program.
  double seconds(const Shared<expr::TileProgram>& program, const kernels::CallShape& shape);

  /// Returns the program with common expressions computed once if that takes less
  /// (share_subexpressions.h).
  Shared<expr::TileProgram> sharing(const Shared<expr::TileProgram>& program,
                                    const kernels::CallShape& shape);

 private:
  template <class Program>
  double known_seconds(const Program& program, const kernels::CallShape& shape);

  const kernels::Context& context_;
  KnownCalls<double> seconds_;
  KnownCalls<Shared<expr::TileProgram>> sharing_;
};

}  // namespace tessera::optimizer
