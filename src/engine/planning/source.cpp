#include "engine/planning/source.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/error.h"
#include "io/file.h"

namespace tessera::engine {

namespace {

/// Returns the first word of a text, behind comments and blank lines.
std::string first_word(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (words >> word && word[0] != '#') {
      return word;
    }
  }
  return "";
}

/// Returns the contents of a file, without the mark that some editors put before UTF-8.
std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    io::open_to_read(path);  // throws the reason
    throw_error(ErrorKind::resource, "cannot read {}", path);
  }
  std::ostringstream all;
  all << file.rdbuf();
  return without_byte_order_mark(std::move(all).str());
}

}  // namespace

Source load_source(const std::string& path) {
  TESSERA_USER_CHECK(!std::filesystem::is_directory(path), "{} is a directory, not a program",
                     path);
  SourceText source{path, text_in(path)};
  const std::string word = first_word(source.text);
  const bool is_stage = word == "einsum" || word == "tra" || word == "ia" || word == "tasks";
  return is_stage ? Source(StageText{std::move(source)}) : Source(Program{std::move(source)});
}

SourceText text_of(const Source& source) {
  return std::visit(Overload{[](const Equation& equation) {
                               return SourceText{frontend::kEquationName, equation.text};
                             },
                             [](const Among<Program, StageText> auto& text) { return text.source; },
                             [](const frontend::BoundProgram&) { return SourceText{}; }},
                    source);
}

}  // namespace tessera::engine
