#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/link.h"

namespace tessera::net {

/// What processes say to each other between the phases of a run: messages whose length the other
/// does not know. Each call returns when its own part is done.
///
/// Every call hears the link for as long as it takes, so REQUIRES that nobody else does then, that
/// nothing else is under way between the processes, and that all say and hear in one order.
/// Errors: `error_of` where a process fails meanwhile, or has failed before. After one the memory
/// of the call is no longer the link's.
///
/// Threads: one at a time; not the link's.

void tell(Link& link, int32_t to, std::span<const std::byte> bytes);
std::vector<std::byte> hear(Link& link, int32_t from);

/// What every process says, by number, on process 0; nothing elsewhere.
std::vector<std::vector<std::byte>> gather(Link& link, std::span<const std::byte> bytes);

/// What process 0 says, on every process; what the others give is not looked at.
std::vector<std::byte> broadcast(Link& link, std::span<const std::byte> bytes);

/// The same of a text.
std::string broadcast(Link& link, const std::string& text);

/// Returns when every process has called it.
void barrier(Link& link);

/// "process 2 (host node7)"; without the host where all are in one process.
std::string name_of(const Link& link, int32_t process);

/// Returns what the failure of a process is to the others: the same error, if it is one of the
/// whole run (run_error.h), else an error of the same kind that names the process.
Error error_of(const Link& link, const Failure& failure);

}  // namespace tessera::net
