#pragma once

#include <string>
#include <vector>

#include "net/link.h"

namespace tessera::cli {

/// What processes have to be asked for alike: a command without the files that it names, which may
/// have other names for each. Options as they are written, but for the values of those that name
/// files, and how many other arguments there are behind the command's name.
std::string asked_of(const std::vector<std::string>& arguments);

/// Refuses processes that were not started with one program and one command, before any of them
/// waits for another. `arguments` are those of this process, in their order. Errors: `user`.
void check_same_command(net::Link& link, const std::vector<std::string>& arguments);

}  // namespace tessera::cli
