#pragma once

#include <string>
#include <vector>

#include "net/link.h"

namespace tessera::cli {

/// Returns the part of a command that all processes must share: without the files that it names,
/// which may have other names for each. It has the options as written, without the values of those
/// that name files, and the number of the other arguments after the command's name.
std::string asked_of(const std::vector<std::string>& arguments);

/// Refuses processes that were not started with one program and one command, before any of them
/// waits for another. `arguments` are those of this process, in order. Errors: `user`.
void check_same_command(net::Link& link, const std::vector<std::string>& arguments);

}  // namespace tessera::cli
