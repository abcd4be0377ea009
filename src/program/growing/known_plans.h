#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/planning/stages.h"
#include "program/growing/frame_program.h"

namespace tessera::program {

/// The plan of a frame.
struct KnownPlan {
  std::shared_ptr<const engine::Plan> plan;
  std::set<std::string> made;  // statements of the frame that are tensors in its plan
};

/// Plans of small frames that may run again, such as the frames of versions that are computed as
/// earlier ones were. A plan follows from the shape of its frame; its tensors are named by their
/// place. When there are too many, the least recently used plan is dropped.
class KnownPlans {
 public:
  /// The plan of a frame; null if it is not known.
  const KnownPlan* find(const FrameShape& frame);
  void keep(FrameShape frame, KnownPlan plan);
  size_t size() const { return plans_.size(); }

 private:
  struct Entry {
    FrameShape frame;
    KnownPlan plan;
    int64_t last_used = 0;
  };

  std::vector<Entry> plans_;
  int64_t num_uses_ = 0;
};

}  // namespace tessera::program
