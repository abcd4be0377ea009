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

/// The files of a program's results, as (result, path), once it is known how many there are.
using FilesOf = std::function<std::vector<std::pair<std::string, std::string>>(size_t num_results)>;

/// Plans a program and runs it as often as asked, gives the results their files or prints them,
/// then says what the runs took where the options ask for it. Errors: those of the session; before
/// anything runs, where a result or the trace cannot be written.
void execute(const engine::Session& session, engine::Round round, const FilesOf& files,
             const ExecutionOptions& options, bool quiet);

}  // namespace tessera::cli
