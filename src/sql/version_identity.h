#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "database/database.h"
#include "engine/session.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// A digest of all that the versions of tables follow from: the definitions that any of them may
/// read, views among them, the contents of stored tables, the seed, how programs are cut in frames,
/// and the settings by which a run computes other bits. What a statement kept under it, another may
/// go on from.
///
/// Cost: reads the scalars of these tables.
std::string identity_of_versions(database::Database& database,
                                 const std::vector<std::string>& tables, int64_t seed,
                                 const engine::Session& session, const Framing& framing);

}  // namespace tessera::sql
