#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tessera {

/// An immutable value with many holders: copies share it. The default is T's default.
template <class T>
class Shared {
 public:
  Shared() : value_(default_value()) {}
  template <class From>
  requires(std::convertible_to<From, T> && !std::same_as<std::remove_cvref_t<From>, Shared>)
      // It is a T, and never a Shared.
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      Shared(From&& value)
      : value_(std::make_shared<const T>(std::forward<From>(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  static const std::shared_ptr<const T>& default_value() {
    static const auto value = std::make_shared<const T>();
    return value;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace tessera
