#include "types/memory_kind.h"

namespace tessera {

std::string_view name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::device:
      return "device";
  }
  return "";
}

std::optional<MemoryKind> memory_kind_named(std::string_view name) {
  for (const MemoryKind kind : {MemoryKind::host, MemoryKind::device}) {
    if (name == name_of(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

}  // namespace tessera
