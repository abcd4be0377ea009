#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tessera {

/// Why something is not done or not taken, in words that follow "it cannot: ".
struct Refusal {
  std::string reason;
};

/// Of a function with nothing to give: it is done.
struct Done {};

/// What a function makes, or why it makes nothing. There is no third state: what is here is whole.
/// `OrRefusal<Done>` is of a function that does something and has nothing to give.
template <class T>
class OrRefusal {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a function returns the one or the other
  OrRefusal(T value) : content_(std::move(value)) {}
  OrRefusal(Refusal refusal) : content_(std::move(refusal)) {}
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  T& operator*() { return std::get<T>(content_); }
  const T& operator*() const { return std::get<T>(content_); }
  T* operator->() { return &std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }

  /// REQUIRES that it is one.
  const Refusal& refusal() const { return std::get<Refusal>(content_); }
  /// Empty where there is a value.
  std::string reason() const { return *this ? "" : refusal().reason; }

 private:
  std::variant<T, Refusal> content_;
};

}  // namespace tessera
