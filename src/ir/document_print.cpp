#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/description.h"
#include "ir/document_text.h"

namespace tessera::ir {

namespace {

constexpr size_t kWidth = 100;
constexpr const char* kIndent = "\n      ";
constexpr size_t kIndentWidth = 6;

/// Whether a text can stand without braces: the reader ends it at a space outside brackets.
bool stands_alone(const Field& field) {
  const std::string& text = field.text;
  if (text.empty() || text[0] == '{' || text[0] == ':') {
    return false;
  }
  const bool looks_named = field.name.empty() && length_of_parameter_name(text) > 0;
  return !looks_named && length_of_value(text) == text.size();
}

std::string field_text(const Field& field) {
  const std::string value = stands_alone(field) ? field.text : "{" + field.text + "}";
  return field.name.empty() ? value : field.name + "=" + value;
}

/// Line breaks and backslashes as \n, \r and \\.
std::string escaped(const std::string& comment) {
  std::string text;
  for (const char byte : comment) {
    text += byte == '\n'   ? "\\n"
            : byte == '\r' ? "\\r"
            : byte == '\\' ? "\\\\"
                           : std::string(1, byte);
  }
  return text;
}

/// A text cut at its single spaces, quoted names left whole.
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

/// Lines filled with pieces; a piece that fits no line is filled word by word.
class Line {
 public:
  void add(const std::string& piece) {
    if (fits(piece)) {
      put(piece);
    } else if (piece.size() <= kWidth - kIndentWidth) {
      break_line();
      put(piece);
    } else {
      for (const std::string& word : words_of(piece)) {
        if (!fits(word)) {
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
    if (!fits("   # " + comment)) {
      break_line();
      text_ += "# " + comment;
    } else {
      text_ += "   # " + comment;
    }
  }

  const std::string& text() const { return text_; }

 private:
  bool fits(const std::string& piece) const {
    return text_.empty() || column_ + 1 + piece.size() <= kWidth;
  }

  void break_line() {
    text_ += kIndent;
    column_ = kIndentWidth;
    at_start_ = true;
  }

  void put(const std::string& piece) {
    const std::string space = at_start_ ? "" : " ";
    text_ += space + piece;
    column_ += space.size() + piece.size();
    at_start_ = false;
  }

  std::string text_;
  size_t column_ = 0;
  bool at_start_ = true;
};

std::string head_of(const Description& node) {
  std::string head = node.id.empty() ? node.op : node.id + " = " + node.op;
  for (size_t operand = 0; operand < node.operands.size(); ++operand) {
    head += (operand == 0 ? "(" : ", ") + node.operands[operand].text;
  }
  return head + (node.operands.empty() ? "" : ")");
}

std::string line_of(const Description& node) {
  Line line;
  line.add(head_of(node));
  for (const Field& parameter : node.parameters) {
    line.add(field_text(parameter));
  }
  if (!node.type.text.empty()) {
    line.add(": " + node.type.text);
  }
  line.add_comment(escaped(node.comment));
  return line.text() + "\n";
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

}  // namespace

std::string to_text(const Document& document) {
  Line header;
  header.add(document.stage);
  for (const Field& setting : document.settings) {
    header.add(field_text(setting));
  }
  std::string text = header.text() + "\n";
  for (const Description& node : document.nodes) {
    text += line_of(node);
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
