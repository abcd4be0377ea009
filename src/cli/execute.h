#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/results.h"
#include "engine/files/input_files.h"
#include "engine/session.h"

namespace tessera::cli {

/// A function from the number of a program's results to their files, as (result, path).
using FilesOf = std::function<std::vector<std::pair<std::string, std::string>>(size_t num_results)>;

/// Plans a program and runs it as often as requested, writes the results to their files or prints
/// them, then reports the cost of the runs if the options ask for it. Errors: those of the session;
/// before the first run, if a result or the trace cannot be written.
void execute(const engine::Session& session, engine::Round round, const FilesOf& files,
             const ExecutionOptions& options, bool quiet);

}  // namespace tessera::cli
