#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/planning/stages.h"
#include "types/array_type.h"

namespace tessera::program {

/// The plan of a program.
struct KnownPlan {
  std::shared_ptr<const engine::Plan> plan;
  std::set<std::string> made;  // statements of the program that are tensors in its plan
};

/// Plans of small programs that may run again, such as the frames of versions that are computed as
/// earlier ones were. A plan follows from the text of its program and the types of its inputs.
/// When there are too many, the least recently used plan is dropped.
class KnownPlans {
 public:
  /// Stands for a program whose inputs have these types.
  static std::string key_of(const std::string& text,
                            const std::map<std::string, ArrayType>& inputs);

  /// The plan of a program; null where it is not known.
  const KnownPlan* find(const std::string& key);
  /// True if a plan is small enough to be kept.
  static bool may_keep(const engine::Plan& plan);
  void keep(const std::string& key, KnownPlan plan);
  size_t size() const { return plans_.size(); }

 private:
  struct Entry {
    KnownPlan plan;
    int64_t last_used = 0;
  };

  std::map<std::string, Entry> plans_;
  int64_t num_uses_ = 0;
};

}  // namespace tessera::program
