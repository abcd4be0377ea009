#pragma once

#include "net/link.h"
#include "plan/site_tasks.h"
#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// Returns, on the first process, the report of a plan's whole run, merged from all processes. A
/// move is reported by its receiver, from when both its ends had begun; a worker is one of the
/// process whose task it ran. Returns the process's own report elsewhere. Errors: internal if a
/// site sent other bytes than the other received. (See common_machine.h for when to call it.)
runtime::RunReport whole_report(net::Link& link, const plan::TaskGraph& plan,
                                const plan::SiteTasks& site, const runtime::RunReport& own);

}  // namespace tessera::engine
