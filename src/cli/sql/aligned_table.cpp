#include "cli/sql/aligned_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"

namespace tessera::cli {

namespace {

size_t width_of(const std::string& line) {
  int width = 0;
  for (size_t at = 0; at < line.size(); at += std::max<size_t>(1, length_of_character(line, at))) {
    width += num_cells(line, at);
  }
  return static_cast<size_t>(width);
}

std::string padded(const std::string& line, size_t width, bool to_the_right) {
  const std::string blanks(width - width_of(line), ' ');
  return to_the_right ? blanks + line : line + blanks;
}

std::string centred(const std::string& line, size_t width) {
  const size_t left = width > width_of(line) ? (width - width_of(line)) / 2 : 0;
  return std::string(left, ' ') + line;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
}

std::vector<size_t> widths_of(const AlignedTable& table) {
  std::vector<size_t> widths;
  for (const std::string& head : table.heads) {
    widths.push_back(width_of(head));
  }
  for (const std::vector<Cell>& row : table.rows) {
    for (size_t column = 0; column < row.size(); ++column) {
      for (const std::string& line : row[column].lines) {
        widths[column] = std::max(widths[column], width_of(line));
      }
    }
  }
  return widths;
}

std::string head_text(const AlignedTable& table, const std::vector<size_t>& widths) {
  std::string heads;
  std::string rule;
  for (size_t column = 0; column < widths.size(); ++column) {
    heads += (column == 0 ? " " : "| ") +
             padded(centred(table.heads[column], widths[column]), widths[column], false) + " ";
    rule += (column == 0 ? "" : "+") + std::string(widths[column] + 2, '-');
  }
  end_line(heads);
  std::string title = table.title.empty() ? "" : centred(table.title, rule.size()) + "\n";
  return title + heads + rule + "\n";
}

void add_row(std::string& text, const std::vector<Cell>& row, const std::vector<size_t>& widths) {
  size_t num_lines = 1;
  for (const Cell& cell : row) {
    num_lines = std::max(num_lines, cell.lines.size());
  }
  for (size_t line = 0; line < num_lines; ++line) {
    for (size_t column = 0; column < row.size(); ++column) {
      const Cell& cell = row[column];
      text +=
          (column == 0 ? " " : "| ") +
          padded(line < cell.lines.size() ? cell.lines[line] : "", widths[column], cell.is_number) +
          " ";
    }
    end_line(text);
  }
}

}  // namespace

Cell Cell::of(const std::string& text, bool is_number) {
  Cell cell{{""}, is_number};
  for (const char character : text) {
    if (character == '\n') {
      cell.lines.emplace_back();
    } else {
      cell.lines.back() += character;
    }
  }
  return cell;
}

std::string aligned_text(const AlignedTable& table) {
  const std::vector<size_t> widths = widths_of(table);
  std::string text = head_text(table, widths);
  for (const std::vector<Cell>& row : table.rows) {
    add_row(text, row, widths);
  }
  return text;
}

std::string expanded_text(const AlignedTable& table) {
  size_t width = 0;
  for (const std::string& head : table.heads) {
    width = std::max(width, width_of(head));
  }
  std::string text;
  for (size_t number = 0; number < table.rows.size(); ++number) {
    text += fmt::format("-[ RECORD {} ]-\n", number + 1);
    for (size_t column = 0; column < table.heads.size(); ++column) {
      const std::vector<std::string>& lines = table.rows[number][column].lines;
      for (size_t line = 0; line < lines.size(); ++line) {
        text += padded(line == 0 ? table.heads[column] : "", width, false) + " | " + lines[line];
        end_line(text);
      }
    }
  }
  return text;
}

}  // namespace tessera::cli
