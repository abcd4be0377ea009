#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/source.h"

namespace tessera::ir {

/// A piece of text, perhaps with a name, and its place in the text it was read from.
struct Field {
  std::string name;  // empty: known by its position
  std::string text;
  SourceSpan span;  // of `text`, for errors; not printed, not compared
  friend bool operator==(const Field& a, const Field& b) {
    return a.name == b.name && a.text == b.text;
  }
};

/// A node of any stage for people. Every algebra defines the names of its nodes and their
/// parameters once, in describe(); text, JSON and DOT are printed from this, and text is parsed
/// back to it.
///
///   %2 = join(%0, %1) on=(s,a; a,h) kernel={o[s,h] = sum[a] x0[s,a] * x1[a,h]} : ...   # QH
///
/// Texts hold no line breaks, and their brackets match; a part with unmatched brackets is in double
/// quotes.
struct Description {
  std::string id;                 // "%2"; empty for a line that no other refers to
  std::string op;                 // "join"
  std::vector<Field> operands;    // "%0", "%1"
  std::vector<Field> parameters;  // in order; in braces if a text holds a space outside brackets
  Field type;                     // after the colon; may be empty
  std::string comment;            // after '#': the origin
  SourceSpan span;                // its place; not printed, not compared

  /// Returns the parameter of that name, or null if there is none.
  const Field* find(const std::string& name) const;
  friend bool operator==(const Description& a, const Description& b) {
    return a.id == b.id && a.op == b.op && a.operands == b.operands &&
           a.parameters == b.parameters && a.type == b.type && a.comment == b.comment;
  }
};

/// A whole stage: its header word and settings, then the nodes.
struct Document {
  std::string stage;            // "einsum", "tra", "ia", "tasks"
  std::vector<Field> settings;  // "sites" -> "1"; a name may stand several times
  std::vector<Description> nodes;
  friend bool operator==(const Document&, const Document&) = default;
};

/// A stage whose nodes are made one at a time, while they are printed: those of a plan would take
/// several times the plan's own memory.
struct DocumentLines {
  std::string stage;
  std::vector<Field> settings;
  size_t num_nodes = 0;
  std::function<Description(size_t number)> node;
};

/// Makes all nodes at once.
Document collected(DocumentLines lines);

/// Formats the header on the first line, then a line per node. A line longer than 100 columns
/// continues in indented lines.
std::string to_text(const Document& document);
std::string to_text(const DocumentLines& lines);

/// Formats {"stage", "settings": {name: [text, ...]}, "nodes": [{"id", "op", "operands",
/// "parameters", "type", "origin"}]}; a parameter without a name is called "what".
nlohmann::json to_json(const Document& document);

/// Formats a Graphviz digraph: a box per node, an edge per operand.
std::string to_dot(const Document& document);

/// Reads the text of to_text; skips lines that are empty or start with '#'. Throws a user Error
/// with line, column and caret.
Document parse_document(const SourceText& source);

}  // namespace tessera::ir
