// Plans and runs an einsum from C++: one operand is in memory, one is a file that is read by tile.
//
//   nearest_digit PIXELS.npy DISTANCES.npy
//
// PIXELS has a picture of 8 x 8 in every row (examples/digits/candidates.npy). The program draws a
// one, prints which picture differs least from it, and writes how much all of them do.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "base/error.h"
#include "engine/explain/explain.h"
#include "engine/session.h"
#include "store/memory_tensor.h"

namespace {

using tessera::DType;
using tessera::store::MemoryTensor;

MemoryTensor drawn_one() {
  MemoryTensor picture({DType::u8, {64}});
  auto* const pixels = picture.view().as<uint8_t>();
  for (int pixel = 0; pixel < 64; ++pixel) {
    const int column = pixel % 8;
    pixels[pixel] = column == 3 || column == 4 ? 16 : 0;
  }
  return picture;
}

void find_nearest(const char* pixels_path, const char* distances_path) {
  // A session knows functions, rules, kernels and formats. The budget bounds what a run holds.
  const tessera::engine::Session session({.memory_bytes = int64_t{64} << 20});
  const auto& formats = session.formats();

  const MemoryTensor picture = drawn_one();
  const auto pixels = formats.for_path(pixels_path).open({pixels_path}, std::nullopt);

  // Planning needs the types alone. d[i] = sum over a of |picture[a] - pixels[i,a]|.
  const tessera::engine::Equation equation{
      "a,ia->i", {"picture", "pixels"}, {.join = "abs(i32(x)-i32(y))", .aggregate = "sum"}};
  const auto stages =
      session.plan(equation, {{{"picture", picture.type()}, {"pixels", pixels->type()}}, {}});
  std::puts(explain(stages, "tra", "text", session).c_str());

  // A run reads its inputs from sources and writes its results to sinks, in memory or in files.
  const auto& result = stages.plan().tasks.sinks.front();
  MemoryTensor distances(result.type);
  session.run(stages.plan(), {{"picture", &picture}, {"pixels", pixels.get()}},
              {{result.name, &distances}});

  const auto* const first = distances.view().as<int32_t>();
  const auto* const nearest = std::min_element(first, first + result.type.shape[0]);
  std::printf("picture %td differs least, by %d\n", nearest - first, *nearest);

  const auto file = formats.for_path(distances_path).create({distances_path}, result.type);
  file->write(distances.view());
  file->commit(tessera::store::Durability::process);  // now it has its name
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: nearest_digit PIXELS.npy DISTANCES.npy\n", stderr);
    return 2;
  }
  try {
    find_nearest(argv[1], argv[2]);
  } catch (const tessera::Error& error) {
    std::fprintf(stderr, "nearest_digit: %s\n", error.full_text().c_str());
    return 1;
  }
  return 0;
}
