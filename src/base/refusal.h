#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tessera {

/// The reason that something is not done or not taken, in words that follow "it cannot: ".
struct Refusal {
  std::string reason;
};

/// The result of a function that succeeds without a value.
struct Done {};

/// The result of a function, or its refusal. There is no third state: a result is complete.
/// `OrRefusal<Done>` is for a function without a value.
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

  /// REQUIRES that it is a refusal.
  const Refusal& refusal() const { return std::get<Refusal>(content_); }
  /// Returns the reason; empty if there is a value.
  std::string reason() const { return *this ? "" : refusal().reason; }

 private:
  std::variant<T, Refusal> content_;
};

}  // namespace tessera
