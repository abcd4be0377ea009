#include "plans/runner/foreign_cases.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace tessera::plans {

namespace {

using nlohmann::json;

/// Planning larger networks again and again takes minutes.
constexpr size_t kMostOperands = 12;

/// exp and its like are rounded otherwise by every kernel, and sums of what is rounded by every
/// order.
constexpr double kScalarTolerance = 1e-9;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  TESSERA_USER_CHECK(file.good(), "{} cannot be read", path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

Case new_case(const std::string& file, const json& given) {
  Case made;
  made.file = file;
  made.name = given["id"].get<std::string>();
  made.settings = default_settings();
  return made;
}

/// The cases of a file. Python's JSON has numbers that JSON has not; none of those is read here.
json cases_in(const std::filesystem::path& path) {
  const std::regex no_json("-?\\b(Infinity|NaN)\\b");
  return json::parse(std::regex_replace(text_of(path), no_json, "null"))["cases"];
}

ArrayType type_of(const json& spec, DType dtype) {
  return {dtype, spec["shape"].get<Shape>()};
}

void add_equations(std::vector<Case>& cases, const std::filesystem::path& path) {
  for (const json& given : cases_in(path)) {
    if (given.contains("error") || given["operands"].size() > kMostOperands) {
      continue;
    }
    Case made = new_case(path.filename().string(), given);
    engine::Equation equation{given["equation"].get<std::string>(), {}, {}};
    for (const json& operand : given["operands"]) {
      const std::string name = fmt::format("operand{}", equation.operands.size());
      equation.operands.push_back(name);
      made.inputs[name] = {type_of(operand, *parse_dtype(operand["dtype"].get<std::string>())),
                           "small"};
    }
    made.source = std::move(equation);
    cases.push_back(std::move(made));
  }
}

void add_programs(std::vector<Case>& cases, const std::filesystem::path& folder) {
  for (const json& given : cases_in(folder / "scalar_cases.json")) {
    Case made = new_case("scalar_cases.json", given);
    const std::string name = made.name + ".ein";
    made.source = engine::Program{{name, text_of(folder / "scalar" / name)}};
    made.tolerance = kScalarTolerance;
    for (const auto& [input, spec] : given["inputs"].items()) {
      made.inputs[input] = {type_of(spec, DType::f64), "small"};
    }
    cases.push_back(std::move(made));
  }
}

}  // namespace

std::vector<Case> foreign_cases(const std::filesystem::path& folder) {
  std::vector<Case> cases;
  add_equations(cases, folder / "einsum_cases.json");
  add_programs(cases, folder);
  return cases;
}

}  // namespace tessera::plans
