#include "cli/rates.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/standard_streams.h"
#include "engine/calibration/rates_file.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

/// Returns a variable of the environment, which no thread can change yet.
std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string cached_rates_path() {
  fs::path cache = variable("XDG_CACHE_HOME").value_or("");
  const std::string home = variable("HOME").value_or("");
  if (cache.empty() && !home.empty()) {
    cache = fs::path(home) / ".cache";
  }
  if (cache.empty()) {
    return "";
  }
  std::array<char, 256> host{};  // the longest name
  ::gethostname(host.data(), host.size() - 1);
  return (cache / "tessera" / fmt::format("rates-{}.json", host.data())).string();
}

}  // namespace

std::string rates_path() {
  const std::optional<std::string> named = variable("TESSERA_RATES");
  return named ? *named : cached_rates_path();
}

Machine measured_machine(bool quiet) {
  Machine machine = this_machine();
  const std::string path = rates_path();
  std::error_code ignored;
  const bool is_wanted = variable("TESSERA_RATES").has_value() || fs::exists(path, ignored);
  if (path.empty() || !is_wanted) {
    return machine;
  }
  const OrRefusal<Done> read = engine::read_rates(path, machine);
  if (!read && !quiet) {
    write_message(
        fmt::format("tessera: warning: the rates in {} are not used, plans go by those that are "
                    "built in: {}; 'tessera calibrate' measures this machine",
                    path, read.reason()));
  }
  return machine;
}

}  // namespace tessera::cli
