#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// The possible completions of the word that ends a text.
struct Completions {
  size_t num_begun = 0;  // bytes of that word that are there
  std::vector<std::string> words;
  std::string ending = " ";  // the text after the word if it is the only completion
};

/// An editor of lines on a terminal, with completion and history (libedit, with the user's
/// ~/.editrc). One at a time.
class LineEditor {
 public:
  using Completer = std::function<Completions(std::string_view before_cursor)>;

  /// Keeps the history in the file, which need not exist; nowhere without a name.
  LineEditor(std::string history_file, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Ending : uint8_t { line, cancelled, end_of_input };

  /// Reads a line into `line`, without its end. Ctrl-C cancels it, Ctrl-D on an empty one is the
  /// end of input.
  Ending read(const std::string& prompt, std::string& line);

  /// Appends a text, of one or more lines, to the history.
  void remember(const std::string& text);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tessera::cli
