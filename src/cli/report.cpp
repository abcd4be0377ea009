#include "cli/report.h"

#include <string>

#include <fmt/format.h>

#include "cli/remedy_text.h"
#include "cli/standard_streams.h"

namespace tessera::cli {

void report(const Error& error) {
  const std::string place =
      error.findings() != nullptr ? "" : fmt::format("tessera: {}: ", name_of(error.kind()));
  write_message(place + error.full_text(&remedy_text));
}

}  // namespace tessera::cli
