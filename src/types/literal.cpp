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

}  // namespace

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
