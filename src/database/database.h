#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "database/catalog.h"
#include "database/database_folder.h"
#include "database/open_rows.h"
#include "database/sqlite.h"
#include "database/write_lock.h"
#include "io/checked_array.h"
#include "store/memory_tensor.h"
#include "store/tile_io.h"

namespace tessera::database {

/// New rows of a stored tensor, written by tile; they become part of the column when they are
/// added.
struct NewRows {
  int64_t file = 0;
  ArrayType type;  // f64[n,…]
  std::unique_ptr<store::TileSink> sink;
};

/// A database: a directory with an SQLite file, which has all scalars and the catalog, and files of
/// tensors.
///
///     catalog.sqlite   tables, in which a column of tensors holds row numbers; the catalog
///                      (catalog.h); its pages have checksums (page_sums.h)
///                      and the last rows of tensors, where they are few (recent_rows.h)
///     tensors/12.npy   rows of one column's tensors: an array with checksums
///                      (io/checked_array.h)
///     lock             who writes
///
/// A statement changes all or nothing: its tensors are in new files, which the transaction names
/// when it commits. They are removed if it is rolled back; files that a killed process left are
/// removed when a process begins to write. Threads: one at a time; several processes may read, one
/// may write.
class Database {
 public:
  /// Opens a database, or makes it. `others` tells how the processes that write new rows with this
  /// one reach its files. Errors: those of open_folder, Connection and Catalog.
  Database(const std::string& directory, int64_t num_threads,
           std::optional<io::Reach> others = std::nullopt);
  ~Database();

  Connection& connection() { return connection_; }
  Catalog& catalog() { return catalog_; }
  const std::string& directory() const { return directory_; }

  /// Begins a transaction. Others see all of its changes once it is committed, and none before. Its
  /// reads see one state, and block no writers. REQUIRES none is open.
  void begin();
  /// Begins a transaction that may write. Errors: `resource` if another process writes or the
  /// database is read-only.
  void begin_to_write();
  /// Lets a transaction write that has only read so far. Errors: those of begin_to_write(), and
  /// `resource` (40001) if another process has written since its first read; it may continue to
  /// read.
  void go_on_to_write();
  bool is_writing() const { return lock_.has_value(); }
  /// Commits. After an error nothing is left of the transaction here.
  void commit();
  void roll_back() noexcept;
  /// Commits the changes so far and continues to write; no other process writes in between.
  /// REQUIRES begin_to_write().
  void commit_and_go_on();
  /// Begins a statement of an open transaction: its changes stay with the rest, or are undone
  /// alone.
  void begin_statement();
  void end_statement();
  /// Undoes a statement. False if the error has ended the whole transaction, of which nothing is
  /// left then.
  bool undo_statement();

  /// Opens all rows of a column's tensors; nothing while its extents are open. Errors: `resource`
  /// if a file is missing, cut short or another, or is small and damaged.
  std::unique_ptr<store::TileSource> open_tensor(const Column& column) const;
  int64_t num_rows(const Column& column) const;
  /// Makes a file for new rows. REQUIRES begin_to_write().
  NewRows new_rows(const ArrayType& type);
  /// Appends the rows to the column; returns the first row's number.
  int64_t add_rows(const Column& column, NewRows rows);
  /// Appends rows in memory to the column; returns the first row's number. A few rows make no file.
  int64_t add_rows(const Column& column, const store::MemoryTensor& rows);

  /// Describes the damage in all tensors' files and in the SQLite file; nothing if there is none.
  std::vector<std::string> faults() const;
  /// Describes the damage in one table's tensors.
  std::vector<std::string> faults_of(const Table& table) const;

  /// Returns a digest of a table's contents, its rows in order; tensors count by the checksums of
  /// their files. Tables with the same rows may have different digests, if the rows came in other
  /// parts.
  std::string digest_of(const Table& table);

 private:
  void take_lock();
  std::string path_of(int64_t file) const;
  io::CheckedArray file_of(int64_t file, const ArrayType& type) const;
  void sweep();
  /// Moves the rows of a column that are in the catalog into a file.
  void write_recent_rows(const Column& column);
  /// Forgets all new files but the first `num_left`, and removes those that no row names.
  void remove_new_files(size_t num_left) noexcept;
  /// Removes those of these files that no row names.
  void remove_unnamed(std::span<const int64_t> files) noexcept;
  /// Merges the last segments of a column into one, so that there are few.
  void merge_segments(const Column& column, const ArrayType& element);

  std::string directory_;
  int64_t num_threads_;
  std::optional<io::Reach> others_;
  DatabaseFolder folder_;
  std::optional<ReadLock> read_lock_;  // if SQLite takes no locks
  mutable Connection connection_;
  Catalog catalog_;
  std::optional<WriteLock> lock_;
  mutable OpenRows open_rows_;
  std::vector<int64_t> new_files_;         // of the transaction that is open
  size_t num_files_before_statement_ = 0;  // at the begin of the statement
};

}  // namespace tessera::database
