#include "types/literal.h"

#include <cmath>

#include <fmt/format.h>

namespace tessera {

namespace {

std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool integral_looking =
      text.find_first_of(".en") == std::string::npos;  // "e", "inf" and "nan" mark a float
  return integral_looking ? text + ".0" : text;
}

bool equals(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                        : a == b && std::signbit(a) == std::signbit(b);
}

bool equals(std::complex<double> a, std::complex<double> b) {
  return equals(a.real(), b.real()) && equals(a.imag(), b.imag());
}

template <class T>
bool equals(T a, T b) {
  return a == b;
}

}  // namespace

bool same_bits(const Literal& a, const Literal& b) {
  return std::visit(
      [](auto left, auto right) {
        if constexpr (std::is_same_v<decltype(left), decltype(right)>) {
          return equals(left, right);
        } else {
          return false;
        }
      },
      a, b);
}

std::string to_string(const Literal& literal) {
  struct Printer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(uint64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const {
      return std::isnan(value) ? "nan" : float_text(value);
    }
    std::string operator()(std::complex<double> value) const {
      const std::string imaginary =
          std::isnan(value.imag()) ? "+nan" : fmt::format("{:+}", value.imag());
      return fmt::format(
          "({}{}j)", std::isnan(value.real()) ? "nan" : fmt::format("{}", value.real()), imaginary);
    }
  };
  return std::visit(Printer{}, literal);
}

}  // namespace tessera
