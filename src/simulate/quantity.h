#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::simulate {

/// The measure of an amount, given by its unit: 10Gbps, 500MB/s, 64GiB, 50us, 55Gflops.
enum class Measure : uint8_t { bytes_per_second, bytes, seconds, flops_per_second };

/// An amount in the base unit of its measure.
struct Quantity {
  Measure measure = Measure::bytes;
  double value = 0;
};

/// Reads a number with its unit, blanks allowed between them. Bits a second: bps, Kbps, Mbps, Gbps,
/// Tbps. Bytes a second: B/s, KB/s ... TB/s (powers of 1000), KiB/s ... TiB/s (of 1024). Bytes: B,
/// KB ... TB, KiB ... TiB. Seconds: s, ms, us, ns. Operations: flops, Mflops, Gflops, Tflops.
/// Nothing if it is none of these, is negative or not finite.
std::optional<Quantity> parse_quantity(std::string_view text);

/// Returns the range that an amount too small or too large to simulate should lie in, "from 1 B to
/// 1e18 B"; nothing if it lies in it.
std::optional<std::string_view> range_missed_by(const Quantity& quantity);

}  // namespace tessera::simulate
