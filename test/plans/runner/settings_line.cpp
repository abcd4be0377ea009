#include "plans/runner/settings_line.h"

#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "base/byte_size.h"
#include "base/error.h"
#include "engine/session.h"
#include "plans/runner/case_file.h"

namespace tessera::plans {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

int64_t integer(const std::string& text) {
  try {
    return std::stoll(text);
  } catch (const std::exception&) {
    throw_error(ErrorKind::user, "'{}' is no whole number", text);
  }
}

void set_tile(engine::Settings& settings, const std::string& value) {
  for (const std::string& each : split(value)) {
    const size_t equals = each.find('=');
    TESSERA_USER_CHECK(equals != std::string::npos, "expected tile LABEL=LENGTH, not '{}'", each);
    settings.tile[each.substr(0, equals)] = integer(each.substr(equals + 1));
  }
}

void set_only(engine::Settings& settings, const std::string& value) {
  for (const std::string& rule : names_of_rules()) {
    settings.rules_off.insert(rule);
  }
  settings.rules_off.erase("stated_order");  // whether it runs is a setting of its own
  for (const std::string& rule : split(value)) {
    TESSERA_USER_CHECK(settings.rules_off.erase(rule) == 1 || rule == "stated_order",
                       "there is no rule {}", rule);
  }
}

void set_rules_off(engine::Settings& settings, const std::string& value) {
  for (const std::string& rule : split(value)) {
    settings.rules_off.insert(rule);
  }
}

void set_memory(engine::Settings& settings, const std::string& value) {
  settings.memory_bytes = parse_byte_size(value);
  TESSERA_USER_CHECK(settings.memory_bytes.has_value(), "'{}' is no amount of memory", value);
}

}  // namespace

engine::Settings default_settings() {
  engine::Settings settings;
  // So that plans are the same where LLVM is not installed.
  settings.generating = kernels::generated::Generating::off;
  settings.workers = 2;
  settings.memory_bytes = int64_t{4} << 30;
  settings.keep_steps = true;
  settings.verify = true;
  return settings;
}

void set_sites(engine::Settings& settings, int64_t num_sites) {
  settings.num_sites = num_sites;
  if (num_sites > 1) {
    settings.memory_bytes.reset();
  }
}

std::vector<std::string> names_of_rules() {
  return engine::Session().setup().names_of_rules();
}

void apply_setting(engine::Settings& settings, const std::string& line) {
  using Apply = std::function<void(engine::Settings&, const std::string&)>;
  static const std::map<std::string, Apply> all = {
      {"tile", &set_tile},
      {"only", &set_only},
      {"rules-off", &set_rules_off},
      {"memory", &set_memory},
      {"planner", [](auto& to, const auto& value) { to.planner = value; }},
      {"pieces", [](auto& to, const auto& value) { to.pieces = integer(value); }},
      {"sites", [](auto& to, const auto& value) { set_sites(to, integer(value)); }},
      {"frame-tasks", [](auto& to, const auto& value) { to.frame_tasks = integer(value); }},
      {"workers",
       [](auto& to, const auto& value) { to.workers = static_cast<int32_t>(integer(value)); }},
      {"kernel", [](auto& to, const auto& value) { to.kernel = value; }},
      {"reproducible", [](auto& to, const auto&) { to.reproducible = true; }},
  };
  const size_t blank = line.find(' ');
  const auto found = all.find(line.substr(0, blank));
  TESSERA_USER_CHECK(found != all.end(), "there is no setting `{}`", line);
  found->second(settings, blank == std::string::npos ? "" : line.substr(blank + 1));
}

}  // namespace tessera::plans
