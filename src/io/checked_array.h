#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/atomic_file.h"
#include "io/shared_sink.h"
#include "store/tile_io.h"
#include "types/array_type.h"

namespace tessera::io {

/// A file that holds an array and can be checked for damage: an .npy, with checksums behind its
/// elements (checked_array.cpp draws it). Any reader of .npy reads it.
struct CheckedArray {
  std::string path;
  std::string label;  // one line that identifies the array, so that none is taken for another
  ArrayType type;
};

/// Creates the file, which has its name when it is committed; its bytes are read once more then, by
/// `num_threads` threads, for the checksums. With a reach, other processes join it (join_shared)
/// and have written their parts when it is committed. Errors: those of AtomicFile.
std::unique_ptr<SharedSink> create_checked(
    const CheckedArray& array, std::optional<Reach> others, int64_t num_threads,
    AtomicFile::Existing existing = AtomicFile::Existing::replaced);

/// Returns how a file differs from what its writer committed, in words; nothing if it does not.
/// Reads all of it, by `num_threads` threads. Errors: `user` if there is no such file.
std::optional<std::string> fault_of(const CheckedArray& array, int64_t num_threads);

/// Returns the checksums that a file records, in its own form, without looking at the other bytes.
/// Errors: `user` if there is no such file.
std::string checksums_in(const CheckedArray& array);

/// Opens the array of a file. A KiB is compared with its checksum when bytes of it are first read.
/// Errors: `user` if there is no such file; `resource`, here or on reading, if it is not what was
/// written.
std::unique_ptr<store::TileSource> open_checked(const CheckedArray& array);

}  // namespace tessera::io
