#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// The kind of memory that holds tiles. Kernels must reach it: those of the processor the host's
/// memory, those of a device its own.
enum class MemoryKind : uint8_t { host, device };

/// Returns "host" or "device".
std::string_view name_of(MemoryKind kind);

/// Returns the kind of a name; nothing if there is none.
std::optional<MemoryKind> memory_kind_named(std::string_view name);

}  // namespace tessera
