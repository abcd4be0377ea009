#pragma once

#include "engine/session.h"

namespace tessera::engine {

/// Every stage of the ladder, one function each: bind, optimize, to_tra, to_ia, to_tasks.
Stages plan_stages(const Source& source, const frontend::Bindings& bindings,
                   const Session& session);

}  // namespace tessera::engine
