#pragma once

#include "net/link.h"
#include "plan/site_tasks.h"
#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// On the first process: what the whole run of a plan took, of what all processes say of theirs. A
/// move is told as its receiver saw it, from when both its ends had begun; a worker is one of the
/// process whose task it ran. Elsewhere the process's own report.
/// Errors: internal where a site sent other bytes than the other received. (See common_machine.h
/// for when it is to be called.)
runtime::RunReport whole_report(net::Link& link, const plan::TaskGraph& plan,
                                const plan::SiteTasks& site, const runtime::RunReport& own);

}  // namespace tessera::engine
