#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// What may stand for the word that ends a text.
struct Completions {
  size_t num_begun = 0;  // bytes of that word that are there
  std::vector<std::string> words;
  std::string ending = " ";  // what is put behind the word where it is the only one
};

/// Reads lines from a terminal, which the user edits, completes and finds again (libedit, with the
/// user's ~/.editrc). One at a time.
class LineEditor {
 public:
  using Completer = std::function<Completions(std::string_view before_cursor)>;

  /// Keeps what is remembered in the file, which need not be there; nowhere without a name.
  LineEditor(std::string history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Ending : uint8_t { line, cancelled, end_of_input };

  /// Reads a line into `line`, without its end. Ctrl-C cancels it, Ctrl-D on an empty one is the
  /// end.
  Ending read(const std::string& prompt, std::string& line);

  /// Puts a text, of one or more lines, at the end of the history.
  void remember(const std::string& text);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tessera::cli
