#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "plan/frames.h"

namespace tessera::engine {

/// What is run at once: a whole plan, or one frame of it.
struct FramePlan {
  const Plan& plan;
  const plan::Frame* frame;  // null for a whole plan
  size_t number = 0;         // from 0, of so many
  size_t num_frames = 1;
  std::set<std::string> read_later;  // what it or earlier frames left for those behind it
};

/// Makes the tasks of one frame after the other, as many as are there at any time, and hands them
/// out; a plan without frames, once. Errors: `unsupported` where the stages end before the tasks;
/// those of plan::to_tasks; what `handle` throws.
void for_each_frame(const Stages& stages, const Setup& setup,
                    const std::function<void(const FramePlan&)>& handle);

/// The tasks of a placed graph. REQUIRES that it leaves nothing open.
plan::TaskGraph tasks_of_frame(const ia::Graph& placed, const Setup& setup);

}  // namespace tessera::engine
