#include "engine/planning/frame_plans.h"

#include "engine/planning/verified.h"
#include "plan/to_tasks.h"

namespace tessera::engine {

namespace {

std::set<std::string> read_behind(const std::vector<plan::Frame>& frames, size_t number) {
  std::set<std::string> names;
  for (size_t later = number + 1; later < frames.size(); ++later) {
    names.insert(frames[later].reads.begin(), frames[later].reads.end());
  }
  return names;
}

}  // namespace

plan::TaskGraph tasks_of_frame(const ia::Graph& placed, const Setup& setup) {
  plan::TaskGraph tasks = verified(plan::to_tasks(placed, setup.context()), "to_tasks", setup);
  for (size_t space = 0; setup.link() != nullptr && space < tasks.spaces.size(); ++space) {
    tasks.spaces[space].process = static_cast<int32_t>(space);
  }
  return tasks;
}

void for_each_frame(const Stages& stages, const Setup& setup,
                    const std::function<void(const FramePlan&)>& handle) {
  const std::vector<plan::Frame>* frames = stages.frames();
  if (frames == nullptr) {
    handle({stages.plan(), nullptr, 0, 1, {}});
    return;
  }
  for (size_t number = 0; number < frames->size(); ++number) {
    const plan::Frame& frame = (*frames)[number];
    const Plan plan{FromPlacement{frame.placed}, tasks_of_frame(frame.placed, setup)};
    handle({plan, &frame, number, frames->size(), read_behind(*frames, number)});
  }
}

}  // namespace tessera::engine
