#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/remedy.h"
#include "base/source.h"

namespace tessera {

class Diagnostics;

/// The party that has to act on an error.
enum class ErrorKind {
  user,         // the program, the data or the command line
  unsupported,  // a feature that is named but not built
  resource,     // memory, disk, a file
  interrupted,  // the user: Ctrl-C
  internal      // one of our invariants is broken
};

/// Returns the word for a kind, printed before a message: "error", "unsupported", "resource error",
/// "interrupted", "internal error".
std::string_view name_of(ErrorKind kind);

/// The action during which an error was thrown, and its place in a source text.
struct ErrorContext {
  std::string text;                  // "in R (quotient.ein:3:1)"
  std::optional<SourcePlace> place;  // of what the text names
  std::string excerpt;               // the line of the place with carets; empty until looked up
};

/// The one error type. It is thrown inside a stage and carried as a value across tasks.
///
/// Threads: a value; copy it freely.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  /// Makes an error of the findings about a source text; `unsupported` if all of them are, else
  /// `user`. Its message is their text.
  explicit Error(Diagnostics findings);

  ErrorKind kind() const { return kind_; }
  const char* what() const noexcept override { return message_.c_str(); }
  const std::string& message() const { return message_; }

  /// Returns the findings in a text, each with its span; null for an error about anything else.
  const Diagnostics* findings() const { return findings_.get(); }

  /// Adds an action, innermost first.
  void add_context(std::string line, std::optional<SourcePlace> place = std::nullopt) {
    context_.push_back({std::move(line), std::move(place), ""});
  }
  const std::vector<ErrorContext>& context() const { return context_; }

  /// Gives every place of the context that lies in this text its excerpt.
  void show_places_in(const SourceText& source);

  /// Adds a remedy. The message states it already in words.
  Error&& suggest(Remedy remedy) && {
    remedies_.push_back(std::move(remedy));
    return std::move(*this);
  }
  const std::vector<Remedy>& remedies() const { return remedies_; }

  /// Returns the message, the actions, and the remedies in the caller's words if there are any.
  std::string full_text(RemedyWords words = nullptr) const;

 private:
  ErrorKind kind_;
  std::string message_;
  std::shared_ptr<const Diagnostics> findings_;  // shared, so that copies do not throw
  std::vector<ErrorContext> context_;
  std::vector<Remedy> remedies_;
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
