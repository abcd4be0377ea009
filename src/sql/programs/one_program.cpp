#include "sql/programs/one_program.h"

namespace tessera::sql {

engine::Outlets OneProgram::outlets(const engine::Plan& plan) {
  end();
  for (const plan::TaskInfo& task : plan.tasks.tasks) {
    estimated_seconds_ += task.seconds;
  }
  engine::Outlets outlets = outlets_;
  if (follower_ != nullptr) {
    outlets.control.listener = follower_->begin(plan);
  }
  return outlets;
}

}  // namespace tessera::sql
