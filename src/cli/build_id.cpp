#include "cli/build_id.h"

#include <cstring>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

namespace tessera::cli {

namespace {

constexpr size_t aligned(size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

/// Reads the note that the linker left (GNU build-id) among the notes of a segment.
std::string id_in(const char* note, size_t size) {
  const char* const end = note + size;
  while (note + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) head;
    std::memcpy(&head, note, sizeof head);
    const char* const name = note + sizeof head;
    const char* const text = name + aligned(head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && std::string_view(name, 3) == "GNU") {
      std::string id;
      for (size_t number = 0; number < head.n_descsz; ++number) {
        id += fmt::format("{:02x}", static_cast<unsigned char>(text[number]));
      }
      return id;
    }
    note = text + aligned(head.n_descsz);
  }
  return "";
}

/// Reads the build id. It is called for the program first, then for its libraries; it stops after
/// the program.
int read_id(dl_phdr_info* info, size_t, void* result) {
  for (size_t number = 0; number < info->dlpi_phnum; ++number) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[number];
    auto& id = *static_cast<std::string*>(result);
    if (segment.p_type == PT_NOTE && id.empty()) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says addresses as numbers
      id = id_in(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    }
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(&read_id, &id);
  return fmt::format("{} ({})", TESSERA_VERSION, id);
}

}  // namespace tessera::cli
