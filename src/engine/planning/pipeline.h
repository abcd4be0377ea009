#pragma once

#include "engine/planning/source.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "frontend/einsum/einsum.h"

namespace tessera::engine {

/// Plans every stage of the ladder, one function each: bind, optimize, to_tra, to_ia, to_tasks.
Stages plan_stages(const Source& source, const frontend::Bindings& bindings, const Setup& setup);

/// True if the stages of a source may be a part of it, behind which a run plans the rest.
bool may_go_on(const Source& source, const frontend::Bindings& bindings, const Setup& setup);

/// Plans the stages of a bound program over whole tensors, ignoring settings that may not suit it:
/// for parts of a program that was planned before.
Stages plan_graph(einsum::Graph graph, const Setup& setup);

}  // namespace tessera::engine
