#include "cli/same_command.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/build_id.h"
#include "engine/processes/agreement.h"

namespace tessera::cli {

namespace {

constexpr std::array<std::string_view, 5> kNamesOfFiles = {"-o", "--output", "--trace",
                                                           "--spill-dir", "--checkpoint"};
constexpr std::array<std::string_view, 11> kFlags = {
    "--analyze", "--json", "--sync", "--quiet",      "--reproducible", "--read-again",
    "--steps",   "--help", "-h",     "--candidates", "--version"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::string asked_of(const std::vector<std::string>& arguments) {
  std::string asked;
  size_t num_others = 0;
  for (size_t number = 0; number < arguments.size(); ++number) {
    const std::string& argument = arguments[number];
    const std::string name = argument.substr(0, argument.find('='));
    if (number == 0) {
      asked += argument + "\n";
    } else if (!argument.starts_with('-') || argument.starts_with("->")) {
      ++num_others;
    } else if (contains(kNamesOfFiles, name)) {
      asked += name + "\n";
      number += name == argument ? 1 : 0;
    } else {
      asked += argument + "\n";
      if (name == argument && !contains(kFlags, name) && number + 1 < arguments.size()) {
        asked += arguments[++number] + "\n";
      }
    }
  }
  return asked + std::to_string(num_others);
}

void check_same_command(net::Link& link, const std::vector<std::string>& arguments) {
  engine::check_same(
      link, {{"build of tessera", build_id(), "start one program everywhere"},
             {"command", asked_of(arguments), "start all processes with the same options"}});
}

}  // namespace tessera::cli
