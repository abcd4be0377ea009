#pragma once

#include <string>
#include <vector>

#include "engine/session.h"

namespace tessera::engine {

/// The figures of a plan, and of its runs where there were some, as one JSON object.
/// doc/json.md describes every member.
std::string json_report(const Stages& stages, const std::vector<runtime::RunReport>& runs,
                        const Session& session);

}  // namespace tessera::engine
