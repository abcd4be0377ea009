#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace tessera {

/// Says who has to act on an error.
enum class ErrorKind {
  user,         // the program, the data or the command line
  unsupported,  // a feature that is named but not built
  resource,     // memory, disk, a file
  interrupted,  // the user: Ctrl-C
  internal      // one of our invariants is broken
};

/// The word for a kind, as printed before a message: "error", "unsupported", "resource error",
/// "interrupted", "internal error".
std::string_view name_of(ErrorKind kind);

/// The one error type. It is thrown inside a stage and carried as a value across tasks.
///
/// Threads: a value; copy it freely.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

  /// Whether the message says already where in which text it is, and of which kind (findings about
  /// a source text do).
  bool names_its_place() const { return names_its_place_; }
  void set_names_its_place() { names_its_place_ = true; }

  /// Adds a line that says what was being done, innermost first.
  void add_context(std::string line) { context_.push_back(std::move(line)); }
  const std::vector<std::string>& context() const { return context_; }

  /// The message followed by its context lines.
  std::string full_text() const;

 private:
  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> context_;
  bool names_its_place_ = false;
};

template <class... Args>
[[noreturn]] void throw_error(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an internal Error that carries the place of the check.
[[noreturn]] void fail_check(const char* file, int line, const char* condition,
                             const std::string& message);

}  // namespace tessera

/// Checks one of our own invariants; stays in release builds. The message is a fmt format with its
/// arguments.
#define TESSERA_CHECK(condition, ...)                                                  \
  do {                                                                                 \
    if (!(condition))                                                                  \
      ::tessera::fail_check(__FILE__, __LINE__, #condition, fmt::format(__VA_ARGS__)); \
  } while (false)

/// Checks what the user gave; throws a `user` Error with the formatted message.
#define TESSERA_USER_CHECK(condition, ...)                             \
  do {                                                                 \
    if (!(condition))                                                  \
      ::tessera::throw_error(::tessera::ErrorKind::user, __VA_ARGS__); \
  } while (false)
