#pragma once

#include "engine/setup/setup.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// Fits tasks that are given as a text to this session. Of several processes each gets the space of
/// its site, even if the text was made by one. A task gets the workspace that its kernel needs
/// here, if the text has less: it may have been made on another machine, or with other options for
/// generated code. The plan's memory figures follow. REQUIRES as many processes as sites, if there
/// are several.
plan::TaskGraph fitted(plan::TaskGraph tasks, const Setup& setup);

}  // namespace tessera::engine
