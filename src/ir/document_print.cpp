#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/description.h"
#include "ir/document_text.h"

namespace tessera::ir {

namespace {

constexpr size_t kWidth = 100;
constexpr const char* kIndent = "\n      ";
constexpr size_t kIndentWidth = 6;

/// True if a text needs no braces: the reader ends it at a space outside brackets.
bool stands_alone(const Field& field) {
  const std::string& text = field.text;
  if (text.empty() || text[0] == '{' || text[0] == ':') {
    return false;
  }
  const bool looks_named = field.name.empty() && length_of_parameter_name(text) > 0;
  return !looks_named && length_of_value(text) == text.size();
}

std::string field_text(const Field& field) {
  const bool is_bare = stands_alone(field);
  std::string text;
  text.reserve(field.name.size() + field.text.size() + 3);
  text += field.name;
  text += field.name.empty() ? "" : "=";
  text += is_bare ? "" : "{";
  text += field.text;
  text += is_bare ? "" : "}";
  return text;
}

/// Escapes line breaks and backslashes as \n, \r and \\.
std::string escaped(const std::string& comment) {
  if (comment.find_first_of("\n\r\\") == std::string::npos) {
    return comment;
  }
  std::string text;
  for (const char byte : comment) {
    text += byte == '\n'   ? "\\n"
            : byte == '\r' ? "\\r"
            : byte == '\\' ? "\\\\"
                           : std::string(1, byte);
  }
  return text;
}

/// Splits a text at its single spaces; quoted names stay whole.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\' && at + 1 < text.size()) {
      words.back() += text[at++];
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == ' ' && !quoted && !words.back().empty() && text[at + 1] != ' ') {
      words.emplace_back();
      continue;
    }
    words.back() += text[at];
  }
  return words;
}

/// A line of a text, filled with pieces; a piece that fits no line is filled word by word.
class Line {
 public:
  explicit Line(std::string& text) : text_(text), begin_(text.size()) {}

  void add(std::string_view piece) {
    if (fits(piece.size())) {
      put(piece);
    } else if (piece.size() <= kWidth - kIndentWidth) {
      break_line();
      put(piece);
    } else {
      for (const std::string& word : words_of(std::string(piece))) {
        if (!fits(word.size())) {
          break_line();
        }
        put(word);
      }
    }
  }

  void add_comment(const std::string& comment) {
    if (comment.empty()) {
      return;
    }
    constexpr std::string_view kMark = "   # ";
    if (!fits(kMark.size() + comment.size())) {
      break_line();
      text_ += "# ";
    } else {
      text_ += kMark;
    }
    text_ += comment;
  }

 private:
  bool fits(size_t width) const { return text_.size() == begin_ || column_ + 1 + width <= kWidth; }

  void break_line() {
    text_ += kIndent;
    column_ = kIndentWidth;
    at_start_ = true;
  }

  void put(std::string_view piece) {
    const std::string_view space = at_start_ ? "" : " ";
    text_ += space;
    text_ += piece;
    column_ += space.size() + piece.size();
    at_start_ = false;
  }

  std::string& text_;
  size_t begin_;  // of the first line
  size_t column_ = 0;
  bool at_start_ = true;
};

std::string head_of(const Description& node) {
  std::string head = node.id;
  head += node.id.empty() ? "" : " = ";
  head += node.op;
  for (size_t operand = 0; operand < node.operands.size(); ++operand) {
    head += operand == 0 ? "(" : ", ";
    head += node.operands[operand].text;
  }
  head += node.operands.empty() ? "" : ")";
  return head;
}

void add_line(std::string& text, const Description& node) {
  Line line(text);
  line.add(head_of(node));
  for (const Field& parameter : node.parameters) {
    line.add(field_text(parameter));
  }
  if (!node.type.text.empty()) {
    line.add(": " + node.type.text);
  }
  line.add_comment(escaped(node.comment));
  text += '\n';
}

nlohmann::json json_of(const Description& node) {
  nlohmann::json parameters = nlohmann::json::object();
  for (const Field& parameter : node.parameters) {
    parameters[parameter.name.empty() ? "what" : parameter.name] = parameter.text;
  }
  nlohmann::json operands = nlohmann::json::array();
  for (const Field& operand : node.operands) {
    operands.push_back(operand.text);
  }
  return {{"id", node.id},          {"op", node.op},
          {"operands", operands},   {"parameters", parameters},
          {"type", node.type.text}, {"origin", node.comment}};
}

std::string dot_quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    quoted += byte == '"' || byte == '\\' ? std::string("\\") + byte : std::string(1, byte);
  }
  return quoted + "\"";
}

std::string header_of(const std::string& stage, const std::vector<Field>& settings) {
  std::string text;
  Line header(text);
  header.add(stage);
  for (const Field& setting : settings) {
    header.add(field_text(setting));
  }
  return text + "\n";
}

}  // namespace

Document collected(DocumentLines lines) {
  Document document{std::move(lines.stage), std::move(lines.settings), {}};
  document.nodes.reserve(lines.num_nodes);
  for (size_t number = 0; number < lines.num_nodes; ++number) {
    document.nodes.push_back(lines.node(number));
  }
  return document;
}

std::string to_text(const Document& document) {
  std::string text = header_of(document.stage, document.settings);
  for (const Description& node : document.nodes) {
    add_line(text, node);
  }
  return text;
}

std::string to_text(const DocumentLines& lines) {
  std::string text = header_of(lines.stage, lines.settings);
  for (size_t number = 0; number < lines.num_nodes; ++number) {
    add_line(text, lines.node(number));
  }
  return text;
}

nlohmann::json to_json(const Document& document) {
  nlohmann::json settings = nlohmann::json::object();
  for (const Field& setting : document.settings) {
    settings[setting.name].push_back(setting.text);
  }
  nlohmann::json nodes = nlohmann::json::array();
  for (const Description& node : document.nodes) {
    nodes.push_back(json_of(node));
  }
  return {{"stage", document.stage}, {"settings", settings}, {"nodes", nodes}};
}

std::string to_dot(const Document& document) {
  std::string text = "digraph " + document.stage + " {\n  rankdir=BT;\n  node [shape=box];\n";
  size_t line = 0;
  for (const Description& node : document.nodes) {
    const std::string id = node.id.empty() ? fmt::format("line{}", line) : node.id;
    std::string label = head_of(node);
    for (const Field& parameter : node.parameters) {
      label += "\n" + field_text(parameter);
    }
    label += node.type.text.empty() ? "" : "\n: " + node.type.text;
    text += fmt::format("  {} [label={}];\n", dot_quoted(id), dot_quoted(label));
    for (const Field& operand : node.operands) {
      text += fmt::format("  {} -> {};\n", dot_quoted(operand.text), dot_quoted(id));
    }
    ++line;
  }
  return text + "}\n";
}

}  // namespace tessera::ir
