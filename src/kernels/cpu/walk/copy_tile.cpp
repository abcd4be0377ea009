#include "kernels/cpu/walk/copy_tile.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

constexpr int64_t kLine = 64;
/// Bytes of a run, read or written. Measured on bench/kernels, transpose (EPYC of Zen 4, 2026-11):
/// runs of 128 are 0.8 and of 512 are 0.9 times as fast.
constexpr int64_t kRunBytes = 256;
/// Bytes of a run that is written from different places of a line, and so loaded into the buffer
/// with the rest of its last line.
constexpr int64_t kRaggedRunBytes = 512;
constexpr int64_t kMostRuns = 128;
constexpr int64_t kTileBytes = int64_t{16} << 10;     // if runs alone would be smaller
constexpr int64_t kBufferBytes = int64_t{128} << 10;  // a small part of a second cache
constexpr int64_t kMostPlaces = 4096;

/// Appends the positions of one more dimension to places already numbered.
void add_dimension(TilePlaces& places, int64_t extent, int64_t memory_step, int64_t buffer_step) {
  const int64_t before = places.count;
  for (int64_t position = 1; position < extent; ++position) {
    for (int64_t place = 0; place < before; ++place) {
      places.memory[places.count] = places.memory[place] + position * memory_step;
      places.buffer[places.count++] = places.buffer[place] + position * buffer_step;
    }
  }
}

void start(TilePlaces& places) {
  places.count = 1;
  places.memory[0] = 0;
  places.buffer[0] = 0;
}

TilePlaces take_places(Carver& carver) {
  const auto memory = carver.take<int64_t>(kMostPlaces);
  return {0, memory.data(), carver.take<int64_t>(kMostPlaces).data()};
}

/// True if runs begin at different places of a line.
bool are_ragged(const std::array<int64_t, StridedBox::kMaxDims>& steps, int num_dims) {
  return std::any_of(steps.begin(), steps.begin() + num_dims,
                     [](int64_t step) { return std::abs(step) > kLine && step % kLine != 0; });
}

}  // namespace

int64_t CopyTile::workspace_bytes() {
  Carver carver(nullptr);
  (void)carver.take<std::byte>(kBufferBytes);
  for (int table = 0; table < 4; ++table) {
    (void)take_places(carver);
  }
  return carver.bytes();
}

bool CopyTile::choose(const StridedBox& box, int64_t unit, const std::byte* to,
                      std::byte* workspace) noexcept {
  box_ = &box;
  unit_ = unit;
  const auto num_dims = static_cast<size_t>(box.num_dims);
  std::fill_n(extent_.begin(), num_dims, 1);
  std::fill_n(is_along_.begin(), num_dims, false);
  std::iota(by_read_.begin(), by_read_.begin() + box.num_dims, size_t{0});
  const auto step_of = [&](size_t dim) {
    const int64_t step = std::abs(box.read_step[dim]);
    return step == 0 ? std::numeric_limits<int64_t>::max() : step;
  };
  std::sort(by_read_.begin(), by_read_.begin() + box.num_dims,
            [&](size_t one, size_t other) { return step_of(one) < step_of(other); });
  const size_t nearest = by_read_[0];
  if (box.write_step[0] != unit || nearest == 0 || box.read_step[nearest] == 0) {
    return false;
  }
  const bool is_ragged =
      are_ragged(box.write_step, box.num_dims) || reinterpret_cast<uintptr_t>(to) % kLine != 0;
  reads_ragged_ = are_ragged(box.read_step, box.num_dims);
  choose_along(is_ragged ? kMostRuns : kMostPlaces);
  choose_across(is_ragged ? kRaggedRunBytes : kRunBytes);
  grow();
  grow_runs();
  step_ = extent_;
  if (is_ragged) {
    reach_further();
  }
  Carver carver(workspace);
  buffer_ = carver.take<std::byte>(kBufferBytes).data();
  for (TilePlaces* places : {&along_, &across_, &written_, &fetched_}) {
    *places = take_places(carver);
  }
  number_buffer();
  const int64_t runs = num_places(true) * num_places(false) * unit / written_bytes_;
  return runs <= kMostPlaces && runs * (written_bytes_ + 2 * kLine) <= kBufferBytes;
}

/// Chooses the nearest dimensions, as long as they are read as one, until a run is long enough or
/// the target's innermost one is met.
void CopyTile::choose_along(int64_t most) noexcept {
  const size_t nearest = by_read_[0];
  int64_t bytes = std::abs(box_->read_step[nearest]);
  reads_neighbours_ = box_->read_step[nearest] == unit_;
  for (size_t at = 0; at < static_cast<size_t>(box_->num_dims) && bytes < kRunBytes; ++at) {
    const size_t dim = by_read_[at];
    if (dim == 0 || (at > 0 && (box_->read_step[dim] != bytes || !reads_neighbours_))) {
      return;
    }
    const int64_t wanted = (kRunBytes + bytes - 1) / bytes;
    extent_[dim] = std::min({box_->extent[dim], wanted, most / num_places(true)});
    is_along_[dim] = true;
    bytes *= extent_[dim];
    if (extent_[dim] < box_->extent[dim]) {
      return;
    }
  }
  if (extent_[nearest] == 1) {  // one element is a run
    extent_[nearest] = std::min<int64_t>(box_->extent[nearest], 2);
    is_along_[nearest] = true;
  }
}

/// Chooses the innermost dimensions of the target, until the written runs are long enough.
void CopyTile::choose_across(int64_t run) noexcept {
  int64_t bytes = unit_;
  for (size_t dim = 0; dim < static_cast<size_t>(box_->num_dims) && bytes < run; ++dim) {
    if (box_->write_step[dim] != bytes) {
      return;
    }
    if (!is_along_[dim]) {
      extent_[dim] = std::min(box_->extent[dim], (run + bytes - 1) / bytes);
    }
    bytes *= extent_[dim];
    if (extent_[dim] < box_->extent[dim]) {
      return;
    }
  }
}

/// Adds positions across while the tile is small: starting on one costs as much as some lines.
void CopyTile::grow() noexcept {
  for (size_t dim = 0; dim < static_cast<size_t>(box_->num_dims); ++dim) {
    const int64_t across = num_places(false);
    const int64_t bytes = num_places(true) * across * unit_;
    const int64_t times = std::min(kTileBytes / bytes, kMostPlaces / 2 / across);
    if (times < 2) {
      return;
    }
    if (!is_along_[dim]) {
      extent_[dim] = std::min(box_->extent[dim], extent_[dim] * times);
    }
  }
}

/// If runs continue along the read neighbours, makes both kinds longer.
void CopyTile::grow_runs() noexcept {
  int64_t bytes = unit_;
  for (size_t dim = 0; dim < static_cast<size_t>(box_->num_dims); ++dim) {
    if (box_->write_step[dim] != bytes) {
      return;
    }
    if (extent_[dim] < box_->extent[dim]) {
      const int64_t times = std::min(kTileBytes / (num_places(true) * num_places(false) * unit_),
                                     kMostPlaces / num_places(true));
      extent_[dim] *= is_along_[dim] ? std::max<int64_t>(times, 1) : 1;
      extent_[dim] = std::min(extent_[dim], box_->extent[dim]);
      return;
    }
    bytes *= extent_[dim];
  }
}

/// Extends runs that continue in the next tile to a whole line, for which that tile has the first
/// elements too.
void CopyTile::reach_further() noexcept {
  int64_t bytes = unit_;
  for (size_t dim = 0; dim < static_cast<size_t>(box_->num_dims); ++dim) {
    if (box_->write_step[dim] != bytes || bytes > kLine) {
      return;  // nothing beside it, or the next position is more than a line away
    }
    const int64_t further = extent_[dim] + (kLine + bytes - 2) / bytes;
    if (!is_along_[dim] && further < box_->extent[dim]) {
      ragged_dim_ = static_cast<int>(dim);
      extent_[dim] = further;
      return;
    }
    if (!is_along_[dim]) {
      extent_[dim] = step_[dim] = box_->extent[dim];
    }
    if (extent_[dim] < box_->extent[dim]) {
      return;
    }
    bytes *= extent_[dim];
  }
}

RunBytes CopyTile::run_bytes(
    const std::array<int64_t, StridedBox::kMaxDims>& position) const noexcept {
  if (ragged_dim_ < 0) {
    return {written_bytes_, false, 0};
  }
  const auto dim = static_cast<size_t>(ragged_dim_);
  const bool goes_on = position[dim] + step_[dim] < box_->extent[dim];
  const int64_t bytes = goes_on ? written_bytes_ / extent_[dim] * step_[dim] : written_bytes_;
  return {bytes, position[dim] > 0, written_bytes_ - bytes};
}

int64_t CopyTile::num_places(bool along) const noexcept {
  int64_t places = 1;
  for (size_t dim = 0; dim < static_cast<size_t>(box_->num_dims); ++dim) {
    places *= is_along_[dim] == along ? extent_[dim] : 1;
  }
  return places;
}

/// Numbers the buffer in the order of the target: elements that are written as one are contiguous.
/// Runs are an odd number of lines apart, or they would meet in the same sets of the cache.
void CopyTile::number_buffer() noexcept {
  const auto num_dims = static_cast<size_t>(box_->num_dims);
  written_bytes_ = unit_;
  size_t dim = 0;
  for (; dim < num_dims && box_->write_step[dim] == written_bytes_; ++dim) {
    buffer_step_[dim] = written_bytes_;
    written_bytes_ *= extent_[dim];
    if (extent_[dim] < box_->extent[dim]) {
      ++dim;
      break;
    }
  }
  int64_t pitch = (aligned_bytes(written_bytes_) | 64);
  for (; dim < num_dims; ++dim) {
    buffer_step_[dim] = pitch;
    pitch *= extent_[dim];
  }
}

void CopyTile::number(const std::array<int64_t, StridedBox::kMaxDims>& extent) noexcept {
  const auto num_dims = static_cast<size_t>(box_->num_dims);
  std::copy_n(extent.begin(), num_dims, extent_.begin());
  number_buffer();
  start(along_);
  start(across_);
  start(written_);
  side_by_side_ = 1;
  int64_t run = unit_;
  for (size_t dim = 0; dim < num_dims; ++dim) {
    if (!is_along_[dim]) {
      const bool is_beside = buffer_step_[dim] == side_by_side_ * unit_;
      side_by_side_ *= is_beside ? extent_[dim] : 1;
      add_dimension(across_, extent_[dim], box_->read_step[dim], buffer_step_[dim]);
    }
    if (buffer_step_[dim] == run && run < written_bytes_) {
      run *= extent_[dim];
    } else {
      add_dimension(written_, extent_[dim], box_->write_step[dim], buffer_step_[dim]);
    }
  }
  number_reads();
}

/// Numbers the reads: lines of a run first, one after the other, because memory is fastest so.
void CopyTile::number_reads() noexcept {
  const auto num_dims = static_cast<size_t>(box_->num_dims);
  int64_t run = unit_;
  size_t read_as_one = 0;
  for (; read_as_one < num_dims && box_->read_step[by_read_[read_as_one]] == run; ++read_as_one) {
    run *= extent_[by_read_[read_as_one]];
  }
  start(fetched_);
  add_dimension(fetched_, (run + kLine - 1) / kLine + (reads_ragged_ ? 1 : 0), kLine, 0);
  for (size_t at = 0; at < num_dims; ++at) {
    const size_t dim = by_read_[at];
    if (is_along_[dim]) {
      add_dimension(along_, extent_[dim], box_->read_step[dim], buffer_step_[dim]);
    }
    const bool is_apart = at >= read_as_one && box_->read_step[dim] != 0;
    if (is_apart && fetched_.count * extent_[dim] <= kMostPlaces) {
      add_dimension(fetched_, extent_[dim], box_->read_step[dim], 0);
    }
  }
}

}  // namespace tessera::kernels
