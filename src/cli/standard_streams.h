#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// Occupies the descriptors of closed standard streams, so that no file that is opened later
/// becomes standard output. Call it first.
void keep_closed_streams_closed();

/// Discards all later output to either stream: another process reports for this one.
void be_silent();

/// Writes a text to standard output, all of it before it returns. Errors: `resource`, with the
/// reason (a full disk, a closed stream).
void write_output(std::string_view text);

/// Writes a line to standard error. A failure is no error: there is no one left to be told.
void write_message(const std::string& line);

}  // namespace tessera::cli
