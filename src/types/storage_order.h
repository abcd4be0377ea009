#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// The mode of an array that is contiguous in its file: the last one (numpy's C order) or the first
/// one (Fortran order).
enum class StorageOrder : uint8_t { row_major, column_major };

/// Returns "row_major" or "column_major".
constexpr const char* name_of(StorageOrder order) {
  return order == StorageOrder::row_major ? "row_major" : "column_major";
}

constexpr std::optional<StorageOrder> parse_storage_order(std::string_view name) {
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    if (name == name_of(order)) {
      return order;
    }
  }
  return std::nullopt;
}

}  // namespace tessera
