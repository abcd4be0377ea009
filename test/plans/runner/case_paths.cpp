#include "plans/runner/case_paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tessera::plans {

namespace {

CasePath path_of(const std::string& argument) {
  const size_t colon = argument.find(':');
  if (colon == std::string::npos) {
    return {argument, std::nullopt};
  }
  return {argument.substr(0, colon), std::stoll(argument.substr(colon + 1))};
}

}  // namespace

std::vector<CasePath> case_paths(const std::vector<std::string>& arguments,
                                 const std::string& extension) {
  std::vector<CasePath> paths;
  for (const std::string& argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      paths.push_back(path_of(argument));
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
      if (entry.path().extension() == extension) {
        paths.push_back({entry.path().string(), std::nullopt});
      }
    }
  }
  std::sort(paths.begin(), paths.end(), [](const CasePath& one, const CasePath& other) {
    return std::pair(one.file, one.line) < std::pair(other.file, other.line);
  });
  return paths;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_USER_CHECK(file.good(), "{} cannot be read", path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void rewrite_file(const std::string& path, const std::vector<Rewrite>& rewrites) {
  const std::string text = text_of_file(path);
  std::ofstream(path, std::ios::binary) << rewritten(text, rewrites);
}

}  // namespace tessera::plans
