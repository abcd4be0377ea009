#include "engine/setup/planner_names.h"

#include <sstream>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "optimizer/partition/partition.h"

namespace tessera::engine {

namespace {

using Names = std::vector<std::string>;

Names names_of(const optimizer::partition::PlannerRegistry& planners) {
  Names names = {optimizer::partition::kDefaultPlanner};
  for (const optimizer::partition::Planner& planner : planners.all()) {
    names.push_back(planner.argument.empty() ? planner.name
                                             : planner.name + ":" + planner.argument);
  }
  return names;
}

Names names_of(const placement::PlannerRegistry& planners) {
  Names names;
  for (const placement::Planner& planner : planners.all()) {
    names.push_back(planner.name);
  }
  return names;
}

bool is_cutting(const std::string& part, const optimizer::partition::PlannerRegistry& planners) {
  const std::string name = part.substr(0, part.find(':'));
  return name == optimizer::partition::kDefaultPlanner || planners.find(name) != nullptr;
}

[[noreturn]] void refuse(const std::string& name, const Names& cutting, const Names& placing) {
  Names all = cutting;
  all.insert(all.end(), placing.begin(), placing.end());
  const std::string suggestion = did_you_mean(name, all);
  throw_error(ErrorKind::user, "there is no planner {}; {} cut tensors, {} place tiles on sites{}",
              name, fmt::join(cutting, ", "), fmt::join(placing, ", "),
              suggestion.empty() ? "" : "; " + suggestion);
}

void set_once(std::optional<std::string>& planner, const std::string& name, const char* what) {
  TESSERA_USER_CHECK(!planner, "the planners {} and {} both {}: name one", *planner, name, what);
  planner = name;
}

Names parts_of(const std::string& text) {
  Names parts;
  std::istringstream stream(text + ",");
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

PlannerNames planner_names(const std::string& text,
                           const optimizer::partition::PlannerRegistry& cutting,
                           const placement::PlannerRegistry& placing) {
  PlannerNames names;
  bool is_in_argument = false;
  for (const std::string& part : parts_of(text)) {
    if (placing.find(part) != nullptr) {
      set_once(names.places, part, "place tiles");
      is_in_argument = false;
    } else if (is_in_argument) {
      *names.cuts += "," + part;
    } else if (is_cutting(part, cutting)) {
      set_once(names.cuts, part, "cut tensors");
      is_in_argument = part.find(':') != std::string::npos;
    } else {
      refuse(part, names_of(cutting), names_of(placing));
    }
  }
  return names;
}

}  // namespace tessera::engine
