#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "plan/frames.h"

namespace tessera::engine {

/// The tasks that are run at once: a whole plan, or one frame of it.
struct FramePlan {
  const Plan& plan;
  const plan::Frame* frame;  // null for a whole plan
  size_t number = 0;         // from 0
  size_t num_frames = 1;
  std::set<std::string> read_later;  // left by it or earlier frames for later ones
};

/// Makes the tasks of one frame after the other, holding one at a time, and passes them on; for a
/// plan without frames, once. Errors: `unsupported` if the stages end before the tasks; those of
/// plan::to_tasks; those of `handle`.
void for_each_frame(const Stages& stages, const Setup& setup,
                    const std::function<void(const FramePlan&)>& handle);

/// Returns the tasks of a placed graph. REQUIRES that it leaves nothing open.
plan::TaskGraph tasks_of_frame(const ia::Graph& placed, const Setup& setup);

}  // namespace tessera::engine
