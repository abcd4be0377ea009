// A page of an SQLite file with checksums:
//
//     SQLite's content | "TsPs" | CRC-32 of all bytes before, xor the page's number
//
// The last two fill the 8 bytes that SQLite reserves by byte 20 of the file's header. Only the main
// file has them: a frame of a write-ahead log has a checksum of SQLite's, and its page gets its own
// when it is copied into the main file. Source: https://www.sqlite.org/cksumvfs.html, with another
// sum and without its hooks.

#include "database/page_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "io/block_sums.h"
#include "io/file.h"

namespace tessera::database {

namespace {

constexpr const char* kVfs = "tessera_page_sums";
constexpr std::array<char, 4> kMark = {'T', 's', 'P', 's'};
constexpr int kHeaderBytes = 100;
constexpr size_t kPlaceOfPageSize = 16;
constexpr size_t kPlaceOfReserved = 20;
constexpr int kSmallestPage = 512;

/// The file-control code that asks a file for the last page that failed. SQLite defines no such
/// code.
constexpr int kAsksForDamagedPage = 0x54735073;

using Bytes = std::span<const std::byte>;

int byte_at(Bytes bytes, size_t place) {
  return std::to_integer<int>(bytes[place]);
}

/// Returns the bytes of a page, by the file's header. 1 stands for 65536.
int page_size_in(Bytes header) {
  const int size = (byte_at(header, kPlaceOfPageSize) << 8) | byte_at(header, kPlaceOfPageSize + 1);
  return size == 1 ? 1 << 16 : size;
}

bool has_mark(Bytes page) {
  return std::memcmp(page.data() + page.size() - kPageSumBytes, kMark.data(), kMark.size()) == 0;
}

uint32_t sum_of(Bytes page, int64_t number) {
  return io::checksum_of(page.first(page.size() - sizeof(uint32_t))) ^
         static_cast<uint32_t>(number);
}

uint32_t stored_sum(Bytes page) {
  uint32_t sum = 0;
  for (size_t place = 0; place < sizeof sum; ++place) {
    sum |= static_cast<uint32_t>(byte_at(page, page.size() - sizeof sum + place)) << (8 * place);
  }
  return sum;
}

/// True if a page is as it was written. A page that was reserved and never written is a hole.
bool is_intact(Bytes page, int64_t number) {
  return stored_sum(page) == sum_of(page, number) ||
         std::all_of(page.begin(), page.end(), [](std::byte byte) { return byte == std::byte{}; });
}

void set_sum(std::span<std::byte> page, int64_t number) {
  std::memcpy(page.data() + page.size() - kPageSumBytes, kMark.data(), kMark.size());
  const uint32_t sum = sum_of(page, number);
  for (size_t place = 0; place < sizeof sum; ++place) {
    page[page.size() - sizeof sum + place] = static_cast<std::byte>(sum >> (8 * place));
  }
}

/// A main file opened for SQLite. The file of the underlying VFS follows it in memory.
struct SummedFile {
  sqlite3_file base;
  int64_t page_bytes;  // 0 until the header is read
  bool has_sums;
  int64_t damaged_page;  // the last one that failed; 0: none
  std::vector<std::byte>* scratch;
};

SummedFile& summed(sqlite3_file* file) {
  return *reinterpret_cast<SummedFile*>(file);
}

sqlite3_file* below(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<SummedFile*>(file) + 1);
}

sqlite3_vfs* vfs_below() {
  static sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
  return found;
}

bool is_page(int bytes, sqlite3_int64 offset) {
  return bytes >= kSmallestPage && std::has_single_bit(static_cast<unsigned>(bytes)) &&
         offset % bytes == 0;
}

/// Notes the contents of the header. One of its bits may have changed, so the first page's mark
/// counts as much as the number of reserved bytes.
void note_header(SummedFile& file, Bytes bytes) {
  file.page_bytes = page_size_in(bytes);
  file.has_sums = byte_at(bytes, kPlaceOfReserved) == kPageSumBytes ||
                  (bytes.size() >= static_cast<size_t>(kSmallestPage) && has_mark(bytes));
}

int close(sqlite3_file* file) {
  const std::unique_ptr<std::vector<std::byte>> scratch(summed(file).scratch);
  return below(file)->pMethods->xClose(below(file));
}

int read(sqlite3_file* file, void* into, int count, sqlite3_int64 offset) {
  const int code = below(file)->pMethods->xRead(below(file), into, count, offset);
  if (code != SQLITE_OK) {
    return code;
  }
  SummedFile& self = summed(file);
  const Bytes bytes(static_cast<const std::byte*>(into), static_cast<size_t>(count));
  if (offset == 0 && count >= kHeaderBytes) {
    note_header(self, bytes);
  }
  const int64_t number = offset / count + 1;
  if (self.has_sums && is_page(count, offset) && count == self.page_bytes &&
      !is_intact(bytes, number)) {
    self.damaged_page = number;
    return SQLITE_IOERR_DATA;
  }
  return SQLITE_OK;
}

int write(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  SummedFile& self = summed(file);
  const Bytes bytes(static_cast<const std::byte*>(from), static_cast<size_t>(count));
  if (offset == 0 && count >= kHeaderBytes) {
    self.page_bytes = page_size_in(bytes);
    self.has_sums = byte_at(bytes, kPlaceOfReserved) == kPageSumBytes;
  }
  if (!self.has_sums || !is_page(count, offset) || count != self.page_bytes) {
    return below(file)->pMethods->xWrite(below(file), from, count, offset);
  }
  self.scratch->assign(bytes.begin(), bytes.end());
  set_sum(*self.scratch, offset / count + 1);
  return below(file)->pMethods->xWrite(below(file), self.scratch->data(), count, offset);
}

int control(sqlite3_file* file, int what, void* argument) {
  if (what == kAsksForDamagedPage) {
    *static_cast<int64_t*>(argument) = summed(file).damaged_page;
    return SQLITE_OK;
  }
  return below(file)->pMethods->xFileControl(below(file), what, argument);
}

/// Returns the methods of the underlying VFS except for read and write. Those of version 3 are left
/// out, because a mapped file would not be read through here.
const sqlite3_io_methods& methods() {
  static const sqlite3_io_methods made = [] {
    sqlite3_io_methods all{};
    all.iVersion = 2;
    all.xClose = &close;
    all.xRead = &read;
    all.xWrite = &write;
    all.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      return below(f)->pMethods->xTruncate(below(f), size);
    };
    all.xSync = [](sqlite3_file* f, int flags) {
      return below(f)->pMethods->xSync(below(f), flags);
    };
    all.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return below(f)->pMethods->xFileSize(below(f), size);
    };
    all.xLock = [](sqlite3_file* f, int kind) { return below(f)->pMethods->xLock(below(f), kind); };
    all.xUnlock = [](sqlite3_file* f, int kind) {
      return below(f)->pMethods->xUnlock(below(f), kind);
    };
    all.xCheckReservedLock = [](sqlite3_file* f, int* result) {
      return below(f)->pMethods->xCheckReservedLock(below(f), result);
    };
    all.xFileControl = &control;
    all.xSectorSize = [](sqlite3_file* f) { return below(f)->pMethods->xSectorSize(below(f)); };
    all.xDeviceCharacteristics = [](sqlite3_file* f) {
      return below(f)->pMethods->xDeviceCharacteristics(below(f));
    };
    all.xShmMap = [](sqlite3_file* f, int region, int region_bytes, int extends,
                     void volatile** map) {
      return below(f)->pMethods->xShmMap(below(f), region, region_bytes, extends, map);
    };
    all.xShmLock = [](sqlite3_file* f, int first, int count, int flags) {
      return below(f)->pMethods->xShmLock(below(f), first, count, flags);
    };
    all.xShmBarrier = [](sqlite3_file* f) { below(f)->pMethods->xShmBarrier(below(f)); };
    all.xShmUnmap = [](sqlite3_file* f, int deletes) {
      return below(f)->pMethods->xShmUnmap(below(f), deletes);
    };
    return all;
  }();
  return made;
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    return vfs_below()->xOpen(vfs_below(), name, file, flags, flags_out);
  }
  summed(file) = SummedFile{};
  const int code = vfs_below()->xOpen(vfs_below(), name, below(file), flags, flags_out);
  if (code == SQLITE_OK) {
    summed(file).base.pMethods = &methods();
    summed(file).scratch = std::make_unique<std::vector<std::byte>>().release();
  }
  return code;
}

}  // namespace

const char* vfs_with_page_sums() {
  static const bool is_registered = [] {
    auto vfs = std::make_unique<sqlite3_vfs>(*vfs_below());
    vfs->zName = kVfs;
    vfs->pNext = nullptr;
    vfs->szOsFile += static_cast<int>(sizeof(SummedFile));
    vfs->xOpen = &open;
    return sqlite3_vfs_register(vfs.release(), 0) == SQLITE_OK;  // until the process ends
  }();
  return is_registered ? kVfs : nullptr;
}

std::string damaged_page_of(sqlite3* connection) {
  int64_t number = 0;
  sqlite3_file_control(connection, "main", kAsksForDamagedPage, &number);
  const char* const path = sqlite3_db_filename(connection, "main");
  return fmt::format("page {} of {} is damaged: it does not have the checksum that it says", number,
                     path == nullptr ? "the file" : path);
}

std::vector<std::string> damaged_pages(const std::string& path) {
  const io::File file = io::open_to_read(path);
  std::vector<std::string> found;
  std::array<std::byte, kHeaderBytes> header{};
  if (file.size() < kHeaderBytes) {
    return found;
  }
  file.read_exactly(0, header.data(), kHeaderBytes);
  const int bytes = page_size_in(header);
  if (byte_at(header, kPlaceOfReserved) != kPageSumBytes || !is_page(bytes, 0)) {
    return found;
  }
  std::vector<std::byte> page(static_cast<size_t>(bytes));
  for (int64_t number = 1; number * bytes <= file.size(); ++number) {
    const auto reads_intact = [&] {
      file.read_exactly((number - 1) * bytes, page.data(), bytes);
      return is_intact(page, number);
    };
    if (!reads_intact() && !reads_intact()) {  // unless another process was writing it
      found.push_back(fmt::format("page {} does not have the checksum that it says", number));
    }
  }
  return found;
}

}  // namespace tessera::database
