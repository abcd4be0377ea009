#include "io/mapped_runs.h"

#include <cstring>

#include "io/mapped_part.h"

namespace tessera::io {

namespace {

struct MappedRange {
  int64_t begin;
  std::span<const Run> runs;
};

void copy(const std::byte* mapped, void* state) {
  const auto& [begin, runs] = *static_cast<const MappedRange*>(state);
  for (const Run& run : runs) {
    std::memcpy(run.into, mapped + (run.offset - begin), static_cast<size_t>(run.bytes));
  }
}

}  // namespace

bool copy_mapped(const File& file, int64_t begin, int64_t end, std::span<const Run> runs) {
  MappedRange range{begin, runs};
  return look_at_mapped(file, begin, end, &copy, &range);
}

}  // namespace tessera::io
