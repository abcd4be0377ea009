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

/// What is found out about more calls is not kept: of a long program whose statements all differ it
/// would take more than the statements, and little of it is asked for again.
inline constexpr size_t kMostKnownCalls = 1024;

/// What was found out about programs on calls of one size. Equal means equal in every part; the
/// hash only finds the place.
///
/// Beyond kMostKnownCalls it forgets all.
template <class Value>
class KnownCalls {
 public:
  /// Null where it is not known yet.
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

  /// REQUIRES that it is not known.
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

/// The call of a program for the largest tile of a relation with that key.
kernels::CallShape largest_call(const expr::TileProgram& program,
                                const std::vector<tra::KeyDim>& key);

/// What calls take; a graph has many equal statements and groups of them, and each is planned once.
/// Lives as long as one graph is rewritten. Borrows the context.
class CallCosts {
 public:
  explicit CallCosts(const kernels::Context& context) : context_(context) {}

  /// Seconds by the cheapest kernel; infinite where none runs the program.
  double seconds(const Shared<expr::TileProgram>& program, const kernels::CallShape& shape);

  /// The program with common expressions computed once where that takes less
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
