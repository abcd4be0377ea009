#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "plans/runner/case_file.h"

namespace tessera::plans {

/// A file of cases, or the case in it that a line belongs to.
struct CasePath {
  std::string file;
  std::optional<int64_t> line;
};

/// Returns the files that arguments name, sorted: FILE, FILE:LINE, or a folder, which stands for
/// every file below it with this extension.
std::vector<CasePath> case_paths(const std::vector<std::string>& arguments,
                                 const std::string& extension);

/// Keeps the last case that begins at the path's line or before it. REQUIRES a path with a line.
/// Errors: `user` if no case begins there.
template <class AnyCase>
void keep_case_at(std::vector<AnyCase>& cases, const CasePath& path) {
  std::vector<AnyCase> chosen;
  for (AnyCase& each : cases) {
    if (each.line <= *path.line) {
      chosen = {std::move(each)};
    }
  }
  TESSERA_USER_CHECK(!chosen.empty(), "{}:{}: no case begins before that line", path.file,
                     *path.line);
  cases = std::move(chosen);
}

/// Reads a whole file. Errors: `user` if it cannot be read.
std::string text_of_file(const std::string& path);

/// Replaces expected texts of a file by what was seen.
void rewrite_file(const std::string& path, const std::vector<Rewrite>& rewrites);

}  // namespace tessera::plans
