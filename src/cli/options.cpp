#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/rates.h"
#include "engine/processes/common_machine.h"

namespace tessera::cli {

namespace {

int64_t positive_integer(const std::string& text, const std::string& what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  TESSERA_USER_CHECK(error == std::errc() && end == text.data() + text.size() && value > 0,
                     "{} must be a positive integer, not '{}'", what, text);
  return value;
}

/// Reads a float and moves `next` after it; false if there is none.
bool read_float(const char*& next, double& value) {
  char* end = nullptr;
  value = std::strtod(next, &end);
  const bool found = end != next;
  next = end;
  return found;
}

/// Returns a variable of the environment; empty if it is not set. No thread runs yet that could
/// change it.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

/// Returns the instruction set that TESSERA_ISA names; none if it is not set.
std::optional<Isa> isa_of_environment() {
  const std::string name = variable("TESSERA_ISA");
  if (name.empty()) {
    return std::nullopt;
  }
  const std::optional<Isa> isa = isa_named(name);
  TESSERA_USER_CHECK(
      isa.has_value(),
      "TESSERA_ISA={}: there is no such instruction set; scalar, avx2 and avx512 are", name);
  return isa;
}

/// Returns the directory of machine code: TESSERA_KERNEL_CACHE, none if that is `off`, else the
/// user's cache.
std::optional<std::string> code_directory() {
  const std::string named = variable("TESSERA_KERNEL_CACHE");
  const std::string caches = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  if (!named.empty()) {
    return named == "off" ? std::nullopt : std::optional(named);
  }
  if (!caches.empty()) {
    return caches + "/tessera/kernels";
  }
  return home.empty() ? std::nullopt : std::optional(home + "/.cache/tessera/kernels");
}

}  // namespace

engine::Settings settings_of(const CommonOptions& options) {
  engine::Settings settings;
  settings.isa = isa_of_environment();
  for (const auto& [label, length] : split_bindings(options.tile, "--tile label=length")) {
    settings.tile[label] = positive_integer(length, "--tile " + label);
  }
  if (!options.planner.empty()) {
    settings.planner = options.planner;
  }
  if (options.pieces > 0) {
    settings.pieces = options.pieces;
  }
  settings.rules_off.insert(options.rules_off.begin(), options.rules_off.end());
  if (!options.kernel.empty()) {
    settings.kernel = options.kernel;
  }
  if (!options.precision.empty()) {
    settings.precision = kernels::precision_named(options.precision).value();
  }
  if (!options.generate.empty()) {
    settings.generating = *kernels::generated::generating_named(options.generate);
  }
  settings.effort_seconds = options.effort;
  settings.code_directory = code_directory();
  settings.reproducible = options.reproducible;
  if (const std::string verify = variable("TESSERA_VERIFY"); !verify.empty()) {
    settings.verify = verify == "1";
  }
  settings.num_sites = options.num_sites;
  settings.read_again = options.read_again;
  if (options.frame_tasks > 0) {
    settings.frame_tasks = options.frame_tasks;
  }
  if (options.workers > 0) {
    settings.workers = options.workers;
  }
  if (!options.memory.empty()) {
    settings.memory_bytes = parse_byte_size(options.memory);
    TESSERA_USER_CHECK(settings.memory_bytes.has_value(),
                       "--memory {}: this is not an amount of memory; 512MiB, 1.5GiB or 65536 is",
                       options.memory);
  }
  if (!options.spill_directory.empty()) {
    settings.spill_directory = options.spill_directory;
  }
  if (!options.checkpoint_directory.empty()) {
    settings.checkpoint_directory = options.checkpoint_directory;
  }
  if (options.checkpoint_seconds > 0) {
    settings.checkpoint_seconds = options.checkpoint_seconds;
  }
  return settings;
}

engine::Session session_of(const CommonOptions& options, engine::Settings settings) {
  if (options.link == nullptr) {
    return {std::move(settings), measured_machine(options.quiet)};
  }
  Machine own = this_machine();
  // A set that one process leaves out is left out by all, as if its machine lacked it.
  own.isa = std::min(own.isa, settings.isa.value_or(own.isa));
  Machine machine = engine::common_machine(*options.link, std::move(own));
  return {std::move(settings), std::move(machine), *options.link};
}

std::pair<std::string, std::string> split_binding(const std::string& text,
                                                  const std::string& expected) {
  const size_t equals = text.find('=');
  TESSERA_USER_CHECK(equals != std::string::npos && equals > 0 && equals + 1 < text.size(),
                     "expected {}, not '{}'", expected, text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::pair<std::string, std::string>> split_bindings(
    const std::vector<std::string>& texts, const std::string& expected) {
  std::vector<std::pair<std::string, std::string>> bindings;
  std::map<std::string, std::string> first;
  for (const std::string& text : texts) {
    bindings.push_back(split_binding(text, expected));
    const auto [before, is_new] = first.emplace(bindings.back().first, text);
    TESSERA_USER_CHECK(is_new, "{} is given twice, as {} and as {}: leave one out", before->first,
                       before->second, text);
  }
  return bindings;
}

std::optional<Literal> parse_number(const std::string& text) {
  if (text == "true" || text == "false") {
    return Literal(text == "true");
  }
  int64_t integer = 0;
  const char* const last = text.data() + text.size();
  if (const auto [end, error] = std::from_chars(text.data(), last, integer);
      error == std::errc() && end == last) {
    return Literal(integer);
  }
  const char* next = text.c_str();
  double real = 0;
  if (!read_float(next, real)) {
    return std::nullopt;
  }
  if (*next == '\0') {
    return Literal(real);
  }
  double imaginary = 0;
  if (std::string_view(next) == "j") {
    return Literal(std::complex<double>(0, real));
  }
  if (read_float(next, imaginary) && std::string_view(next) == "j") {
    return Literal(std::complex<double>(real, imaginary));
  }
  return std::nullopt;
}

std::map<std::string, Literal> parameters_of(const std::vector<std::string>& texts) {
  std::map<std::string, Literal> parameters;
  for (const auto& [name, value] : split_bindings(texts, "-D name=number")) {
    const std::optional<Literal> literal = parse_number(value);
    TESSERA_USER_CHECK(literal.has_value(),
                       "-D {}: '{}' is not a number; an integer, a float, 1+2j, true or false is",
                       name, value);
    parameters[name] = *literal;
  }
  return parameters;
}

}  // namespace tessera::cli
