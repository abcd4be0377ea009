#include "plans/runner/line_difference.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace tessera::plans {

namespace {

constexpr size_t kLinesAround = 2;

struct Line {
  char mark = ' ';
  std::string text;
};

/// By the longest common subsequence of lines.
std::vector<Line> compared(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Line> lines;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', a[i++]});
    } else {
      lines.push_back({'+', b[j++]});
    }
  }
  return lines;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string line_difference(const std::string& expected, const std::string& seen) {
  const std::vector<Line> lines = compared(lines_of(expected), lines_of(seen));
  std::vector<bool> is_shown(lines.size(), false);
  for (size_t line = 0; line < lines.size(); ++line) {
    if (lines[line].mark != ' ') {
      const size_t end = std::min(line + kLinesAround + 1, lines.size());
      for (size_t near = line - std::min(line, kLinesAround); near < end; ++near) {
        is_shown[near] = true;
      }
    }
  }
  std::string text;
  for (size_t line = 0; line < lines.size(); ++line) {
    if (is_shown[line]) {
      text += std::string(1, lines[line].mark) + " " + lines[line].text + "\n";
    } else if (line > 0 && is_shown[line - 1]) {
      text += "  ...\n";
    }
  }
  return text;
}

}  // namespace tessera::plans
