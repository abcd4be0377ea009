#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "types/shape.h"

namespace tessera {

/// The most bytes that one read or write of a box holds beside the caller's buffer. They stay in a
/// second-level cache.
constexpr int64_t kStagingBytes = int64_t{256} * 1024;
/// The elements of a column-major file that are taken from one column at a time, so that a block
/// has several columns and the rows it is written to are filled a cache line at a time.
constexpr int64_t kColumnElements = 4096;

/// The spans in which a box of a row-major array in a file is read or written, each at once.
///
/// A span has some positions of one mode, and everything that the box has of the modes behind it.
/// If these are not contiguous in the file, the span includes the gaps between them: the bytes of a
/// gap cost less than a call for each side of it. Such a span takes at most kStagingBytes.
struct BoxSpans {
  size_t mode = 0;        // its positions are divided among spans
  int64_t positions = 1;  // of it in one span; the last one may have fewer
  bool has_gaps = false;
  int64_t num_runs = 0;   // of the box in the file
  int64_t num_spans = 0;  // reads; also writes if there are no gaps
  int64_t bytes = 0;      // of all spans, with their gaps
};

/// Returns the spans of a box with these extents, at any place. REQUIRES extents of at least 1 and
/// at most those of the shape.
BoxSpans spans_of(const Shape& shape, const Shape& extent, int64_t element_bytes);

/// One span: a part of the box, and the bytes from its first element to its last in the array.
struct BoxSpan {
  Box part;
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// A walk over the spans of a box in row-major order:
/// `for (SpanWalk walk(...); !walk.is_over(); walk.advance())`.
class SpanWalk {
 public:
  SpanWalk(const Shape& shape, const Box& box, int64_t element_bytes, const BoxSpans& spans);

  bool is_over() const { return is_over_; }
  const BoxSpan& span() const { return span_; }
  void advance();

 private:
  void enter();

  Box box_;
  Strides strides_;  // of the array, in bytes
  size_t mode_;
  int64_t positions_;
  int64_t inner_bytes_;  // from the first byte of one position of the mode to its last
  bool is_over_ = false;
  BoxSpan span_;
};

/// Cuts a box into blocks of at most `max_elements` elements, of which at most `max_run` along the
/// last mode; the last modes are kept whole first. Blocks come in row-major order. REQUIRES
/// max_elements >= 1 and max_run >= 1. An empty box has no blocks.
std::vector<Box> blocks_of(const Box& box, int64_t max_elements, int64_t max_run);

/// Returns the extents of the blocks of a box; those at its end may be shorter.
Shape block_extents(const Shape& extents, int64_t max_elements, int64_t max_run);

}  // namespace tessera
