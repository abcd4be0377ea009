#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/source.h"

namespace tessera::ir {

/// A node of any stage as a person reads it. Every algebra says what its nodes are called and what their parameters
/// are, once, in describe(); text, JSON and DOT are printed from this, and text is parsed back to it.
///
///   %2 = join(%0, %1) on={s,a; a,h} key={...} kernel={...} : (s:2) -> f32[s=128]   # QH (attention.ein:5:1)
struct Description {
  std::string id;                                            // "%2"
  std::string op;                                            // "join"
  std::vector<std::string> operands;                         // "%0", "%1"
  std::vector<std::pair<std::string, std::string>> parameters;  // in order; a value is printed in braces
  std::string type;                                          // after the colon; may be empty
  std::string comment;                                       // after '#': the origin
  SourceSpan span;                                           // where it stood, for errors; not printed

  /// The value of a parameter, or null if there is none.
  const std::string* find(const std::string& name) const;
};

/// A whole stage: its header word and settings, then the nodes.
struct Document {
  std::string stage;                                           // "einsum", "tra", "ia", "tasks"
  std::vector<std::pair<std::string, std::string>> settings;   // "sites" -> "1"
  std::vector<Description> nodes;
};

std::string to_text(const Document& document);
nlohmann::json to_json(const Document& document);
std::string to_dot(const Document& document);

/// Reads what to_text printed; throws a user Error with line, column and caret.
Document parse_document(const SourceText& source);

}  // namespace tessera::ir
