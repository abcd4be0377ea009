#pragma once

#include "engine/setup/setup.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// Tasks that are given as a text, as this session runs them. Of several processes each has the
/// space of its site, also where the text was made by one. A task has the workspace that its kernel
/// needs here, where the text says less: it may have been made on another machine, or with other
/// options for generated code. What the plan needs of memory follows. REQUIRES as many processes as
/// sites, if there are several.
plan::TaskGraph fitted(plan::TaskGraph tasks, const Setup& setup);

}  // namespace tessera::engine
