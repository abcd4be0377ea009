#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/link.h"

namespace tessera::net {

/// Messages between processes in the phases of a run whose length the other side does not know.
/// Each call returns when its own part is done.
///
/// Every call listens to the link while it runs, so REQUIRES that nobody else does, that nothing
/// else is in progress between the processes, and that all call in one order. Errors: `error_of` if
/// a process fails meanwhile, or has failed before. Afterwards the link does not touch the memory
/// of the call.
///
/// Threads: one at a time; not the link's.

void tell(Link& link, int32_t to, std::span<const std::byte> bytes);
std::vector<std::byte> hear(Link& link, int32_t from);

/// Returns the bytes of every process, by number, on process 0; nothing elsewhere.
std::vector<std::vector<std::byte>> gather(Link& link, std::span<const std::byte> bytes);

/// Returns process 0's bytes on every process; the others' are ignored.
std::vector<std::byte> broadcast(Link& link, std::span<const std::byte> bytes);

/// Broadcasts a text.
std::string broadcast(Link& link, const std::string& text);

/// Returns when every process has called it.
void barrier(Link& link);

/// Returns "process 2 (host node7)"; without the host if all are in one process.
std::string name_of(const Link& link, int32_t process);

/// Returns the error that the failure of a process is to the others: the same error, if it concerns
/// the whole run (run_error.h), else an error of the same kind that names the process.
Error error_of(const Link& link, const Failure& failure);

}  // namespace tessera::net
