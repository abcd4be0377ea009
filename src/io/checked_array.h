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

/// A file that holds an array and tells whether it still does: an .npy, behind whose elements stand
/// checksums (checked_array.cpp draws it). Any reader of .npy reads it.
struct CheckedArray {
  std::string path;
  std::string label;  // one line that says which array it is, so that none is taken for another
  ArrayType type;
};

/// Creates the file, which has its name when it is committed; its bytes are read once more then,
/// by so many threads, for the checksums. With a reach it is one that other processes join
/// (join_shared) and have written when it is committed. Errors: as AtomicFile.
std::unique_ptr<SharedSink> create_checked(
    const CheckedArray& array, std::optional<Reach> others, int64_t num_threads,
    AtomicFile::Existing existing = AtomicFile::Existing::replaced);

/// Why a file is not what its writer committed, in words; nothing where it is. All of it is read,
/// by so many threads. Errors: `user` where there is no such file.
std::optional<std::string> fault_of(const CheckedArray& array, int64_t num_threads);

/// The checksums that a file says its bytes have, as they stand in it; the bytes are not looked at.
/// Errors: `user` where there is no such file.
std::string checksums_in(const CheckedArray& array);

/// The array of a file. A KiB is compared with its checksum when bytes of it are first read.
/// Errors: `user` where there is no such file; `resource`, here or when it is read, where it is not
/// what was written.
std::unique_ptr<store::TileSource> open_checked(const CheckedArray& array);

}  // namespace tessera::io
