#include "simulate/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tessera::simulate {

namespace {

struct Unit {
  std::string_view name;
  Measure measure;
  double factor;
};

constexpr double kKi = 1024;

constexpr std::array kUnits = {
    Unit{"bps", Measure::bytes_per_second, 1.0 / 8},
    Unit{"Kbps", Measure::bytes_per_second, 1e3 / 8},
    Unit{"Mbps", Measure::bytes_per_second, 1e6 / 8},
    Unit{"Gbps", Measure::bytes_per_second, 1e9 / 8},
    Unit{"Tbps", Measure::bytes_per_second, 1e12 / 8},
    Unit{"B/s", Measure::bytes_per_second, 1},
    Unit{"KB/s", Measure::bytes_per_second, 1e3},
    Unit{"MB/s", Measure::bytes_per_second, 1e6},
    Unit{"GB/s", Measure::bytes_per_second, 1e9},
    Unit{"TB/s", Measure::bytes_per_second, 1e12},
    Unit{"KiB/s", Measure::bytes_per_second, kKi},
    Unit{"MiB/s", Measure::bytes_per_second, kKi* kKi},
    Unit{"GiB/s", Measure::bytes_per_second, kKi* kKi* kKi},
    Unit{"TiB/s", Measure::bytes_per_second, kKi* kKi* kKi* kKi},
    Unit{"B", Measure::bytes, 1},
    Unit{"KB", Measure::bytes, 1e3},
    Unit{"MB", Measure::bytes, 1e6},
    Unit{"GB", Measure::bytes, 1e9},
    Unit{"TB", Measure::bytes, 1e12},
    Unit{"KiB", Measure::bytes, kKi},
    Unit{"MiB", Measure::bytes, kKi* kKi},
    Unit{"GiB", Measure::bytes, kKi* kKi* kKi},
    Unit{"TiB", Measure::bytes, kKi* kKi* kKi* kKi},
    Unit{"s", Measure::seconds, 1},
    Unit{"ms", Measure::seconds, 1e-3},
    Unit{"us", Measure::seconds, 1e-6},
    Unit{"ns", Measure::seconds, 1e-9},
    Unit{"flops", Measure::flops_per_second, 1},
    Unit{"Mflops", Measure::flops_per_second, 1e6},
    Unit{"Gflops", Measure::flops_per_second, 1e9},
    Unit{"Tflops", Measure::flops_per_second, 1e12},
};

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (!unit.empty() && unit.front() == ' ') {
    unit.remove_prefix(1);
  }
  for (const Unit& known : kUnits) {
    if (known.name == unit) {
      return Quantity{known.measure, number * known.factor};
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> range_missed_by(const Quantity& quantity) {
  const double value = quantity.value;
  const bool is_of_something = value >= 1 && value <= 1e18;
  switch (quantity.measure) {
    case Measure::bytes_per_second:
      return is_of_something ? std::nullopt
                             : std::optional<std::string_view>("from 1 B/s to 1e18 B/s");
    case Measure::bytes:
      return is_of_something ? std::nullopt : std::optional<std::string_view>("from 1 B to 1e18 B");
    case Measure::seconds:
      return value <= 1e6 ? std::nullopt : std::optional<std::string_view>("at most 1e6 s");
    case Measure::flops_per_second:
      return is_of_something ? std::nullopt
                             : std::optional<std::string_view>("from 1 flops to 1e18 flops");
  }
  return std::nullopt;
}

}  // namespace tessera::simulate
