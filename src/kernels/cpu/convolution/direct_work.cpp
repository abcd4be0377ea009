#include "kernels/cpu/convolution/direct_work.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The places of all three arrays.
struct TileData {
  const std::byte* x;
  const std::byte* y;
  std::byte* out;
};

class Tiles {
 public:
  Tiles(const DirectRun& run, bool adds)
      : run_(run), of_(run.convolution), size_(size_of(run.convolution.type)) {
    columns_ = length(of_.column);
    rows_ = of_.row ? length(*of_.row) : 1;
    if (of_.row) {
      const auto row = static_cast<size_t>(*of_.row);
      work_.x_row_step = run.x.step[row];
      work_.y_row_step = run.y.step[row];
      work_.out_row_step = out_step(*of_.row);
    }
    work_.taps = run.taps;
    work_.adds_to_out = adds;
  }

  /// Runs every tile, with the taps in the run's list.
  void all(int64_t num_taps) noexcept {
    work_.num_taps = num_taps;
    place_labels();
    TileData at{run_.x.data, run_.y.data, run_.out};
    std::array<int64_t, kMaxLabels> position{};
    while (true) {
      run_rows(at);
      int label = num_outer_;
      while (label > 0 && position[index(label)] + 1 == length(outer_[index(label)])) {
        move(at, outer_[index(label)], -position[index(label)]);
        position[index(label)] = 0;
        --label;
      }
      if (label == 0) {
        return;
      }
      ++position[index(label)];
      move(at, outer_[index(label)], 1);
    }
  }

 private:
  static size_t index(int label) { return static_cast<size_t>(label - 1); }
  int64_t length(LabelNumber label) const { return run_.ranges[static_cast<size_t>(label)].length; }

  int64_t out_step(LabelNumber label) const noexcept {
    const auto found = std::find(of_.out.begin(), of_.out.end(), label);
    return run_.out_strides[static_cast<size_t>(found - of_.out.begin())];
  }

  /// Places the labels around rows and columns, outermost first.
  void place_labels() noexcept {
    num_outer_ = 0;
    for (const LabelNumber label : of_.out) {
      if (label != of_.column && of_.row != label) {
        outer_[static_cast<size_t>(num_outer_++)] = label;
      }
    }
  }

  void move(TileData& at, LabelNumber label, int64_t places) const noexcept {
    at.x += places * run_.x.step[static_cast<size_t>(label)] * size_;
    at.y += places * run_.y.step[static_cast<size_t>(label)] * size_;
    at.out += places * out_step(label) * size_;
  }

  void run_rows(TileData at) noexcept {
    for (int64_t done = 0; done < rows_;) {
      const int64_t rows = of_.rows_of_tile(rows_ - done);
      run_columns(at, static_cast<size_t>(rows));
      at.x += rows * work_.x_row_step * size_;
      at.y += rows * work_.y_row_step * size_;
      at.out += rows * work_.out_row_step * size_;
      done += rows;
    }
  }

  void run_columns(const TileData& at, size_t rows) noexcept {
    const int64_t vector = of_.vector();
    for (int64_t done = 0; done < columns_;) {
      const int64_t left = columns_ - done;
      const bool takes_two = left > vector && columns_ >= 2 * vector;
      const DirectEntry& tile = *of_.tiles[rows][takes_two ? 2 : 1];
      // The last tile of a line reaches back, over finished results.
      const int64_t first = std::max<int64_t>(0, std::min(done, columns_ - tile.columns));
      run_tile(at, tile, first, done - first, std::min(columns_ - first, tile.columns));
      done = first + std::min(columns_ - first, tile.columns);
    }
  }

  /// Writes columns [begin, end) of a tile whose first column is `first`.
  void run_tile(const TileData& at, const DirectEntry& tile, int64_t first, int64_t begin,
                int64_t end) noexcept {
    const bool is_lanes = of_.kind == DirectKind::lanes;
    const std::byte* const x = at.x + first * size_;
    const std::byte* const y = at.y + (is_lanes ? first * size_ : 0);
    std::byte* const out = at.out + first * size_;
    const bool is_whole = end == tile.columns && (begin == 0 || !work_.adds_to_out);
    if (is_whole) {  // finished results are made once more
      tile.run(x, y, work_, out);
      return;
    }
    DirectWork aside = work_;
    aside.out_row_step = tile.columns;
    if (aside.adds_to_out) {
      copy_rows(out, work_.out_row_step, run_.scratch, tile.columns, tile.rows, begin, end);
    }
    tile.run(x, y, aside, run_.scratch);
    copy_rows(run_.scratch, tile.columns, out, work_.out_row_step, tile.rows, begin, end);
  }

  void copy_rows(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
                 int64_t rows, int64_t begin, int64_t end) const noexcept {
    for (int64_t row = 0; row < rows; ++row) {
      std::memcpy(to + (row * to_step + begin) * size_, from + (row * from_step + begin) * size_,
                  static_cast<size_t>((end - begin) * size_));
    }
  }

  const DirectRun& run_;
  const DirectConvolution& of_;
  int64_t size_;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  DirectWork work_;
  std::array<LabelNumber, kMaxLabels> outer_;
  int num_outer_ = 0;
};

/// A walk over the merged labels, the last of which runs fastest.
class Taps {
 public:
  explicit Taps(const DirectRun& run) : run_(run) {}

  bool is_done() const { return is_done_; }

  /// Lists the next taps. Returns their number.
  int64_t list_next() noexcept {
    int64_t count = 0;
    for (; count < kMostTaps && !is_done_; ++count) {
      run_.taps[count] = {place_in(run_.x), place_in(run_.y)};
      advance();
    }
    return count;
  }

 private:
  const std::vector<LabelNumber>& over() const { return run_.convolution.over; }

  int64_t place_in(const DirectPlace& place) const noexcept {
    int64_t others = 0;
    int64_t moved = place.first_tap;
    for (size_t number = 0; number < over().size(); ++number) {
      const auto label = static_cast<size_t>(over()[number]);
      others += position_[number] * place.step[label];
      moved += position_[number] * place.column_taps[label];
    }
    return place.at(others, moved);
  }

  void advance() noexcept {
    size_t number = over().size();
    while (number > 0) {
      --number;
      if (++position_[number] < run_.ranges[static_cast<size_t>(over()[number])].length) {
        return;
      }
      position_[number] = 0;
    }
    is_done_ = true;
  }

  const DirectRun& run_;
  std::array<int64_t, kMaxLabels> position_{};
  bool is_done_ = false;
};

}  // namespace

void convolve_in_tiles(DirectRun& run, bool accumulate) noexcept {
  Taps taps(run);
  for (bool adds = accumulate; !taps.is_done(); adds = true) {
    Tiles(run, adds).all(taps.list_next());
  }
}

}  // namespace tessera::kernels
