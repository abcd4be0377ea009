#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Whose memory tiles lie in. What computes on tiles has to reach them: kernels of the processor
/// the host's memory, those of a device its own.
enum class MemoryKind : uint8_t { host, device };

/// "host" or "device".
std::string_view name_of(MemoryKind kind);

/// The kind of a name; nothing where there is none.
std::optional<MemoryKind> memory_kind_named(std::string_view name);

}  // namespace tessera
