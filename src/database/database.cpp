#include "database/database.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "database/page_sums.h"
#include "database/sql_error.h"
#include "io/rows_in_files.h"
#include "store/memory_tensor.h"

namespace tessera::database {

namespace {

/// The size up to which a segment is merged with its neighbours: they are copied through memory.
constexpr int64_t kMergedBytes = int64_t{16} << 20;

/// The most bytes of a statement's rows that are kept in the catalog. Writing more is faster to a
/// file.
constexpr int64_t kMostAddedBytes = int64_t{1} << 16;
/// The most bytes of a column's rows that are kept there: all of them are read into memory.
constexpr int64_t kMostRecentBytes = int64_t{1} << 20;

/// Pages larger than SQLite's default: joins of a million rows take a fifth less time (measured).
/// An existing database keeps its own.
constexpr const char* kSettings =
    "PRAGMA page_size = 16384; PRAGMA temp.page_size = 16384; "
    // Temporary tables of a query, and its sorts, leave memory beyond a cache of 2 MiB.
    "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = -2048";
constexpr const char* kSettingsOfWriters = "PRAGMA journal_mode = WAL";

bool may_write(const DatabaseFolder& folder) {
  return folder.access == Connection::Access::write || folder.access == Connection::Access::create;
}

/// Returns the connection with its settings. Errors: those of SQLite, which reads the file here
/// first, with its name.
Connection& set_up(Connection& connection, const DatabaseFolder& folder, const std::string& file) {
  try {
    connection.execute(kSettings);
    if (may_write(folder)) {
      connection.execute(kSettingsOfWriters);
    }
  } catch (const SqlError& error) {
    throw SqlError(error.state(),
                   Error(error.kind(), fmt::format("{}: {}", file, error.message())));
  }
  return connection;
}

ArrayType element_of(const Column& column) {
  return element_type(std::get<TensorType>(column.type)).value();
}

}  // namespace

Database::Database(const std::string& directory, int64_t num_threads,
                   std::optional<io::Reach> others)
    : directory_(directory),
      num_threads_(num_threads),
      others_(others),
      folder_(open_folder(directory)),
      read_lock_(folder_.access == Connection::Access::read_unlocked
                     ? std::optional<ReadLock>(std::in_place, directory + kLockFile)
                     : std::nullopt),
      connection_(directory + kCatalogFile, folder_.access),
      catalog_(set_up(connection_, folder_, directory + kCatalogFile), folder_.is_unused) {}

Database::~Database() {
  if (lock_) {  // within a transaction
    roll_back();
  }
}

void Database::begin() {
  connection_.execute("BEGIN");
}

void Database::take_lock() {
  if (!may_write(folder_)) {
    throw SqlError(SqlState::read_only_transaction,
                   Error(ErrorKind::resource,
                         fmt::format("the database {} may only be read: its folder, or a file in "
                                     "it, may not be written",
                                     directory_)));
  }
  lock_.emplace(directory_ + kLockFile);
}

void Database::go_on_to_write() {
  take_lock();
  try {
    // Takes SQLite's lock for a statement that writes, if it reads the newest state.
    connection_.execute("UPDATE tessera_settings SET value = value WHERE name = 'format'");
    sweep();
  } catch (...) {
    lock_.reset();
    throw;
  }
}

void Database::begin_to_write() {
  take_lock();
  try {
    connection_.execute("BEGIN IMMEDIATE");
    sweep();
  } catch (...) {
    roll_back();
    throw;
  }
}

void Database::commit() {
  // If it fails on the way to the disk, the next writer sees which files are named.
  const std::vector<int64_t> files = std::exchange(new_files_, {});
  try {
    connection_.execute("COMMIT");
  } catch (...) {
    roll_back();
    throw;
  }
  remove_unnamed(files);  // files that were merged with others since
  lock_.reset();
}

void Database::roll_back() noexcept {
  open_rows_.close_all();
  try {
    // else SQLite has ended it itself, after a full disk for example
    if (connection_.is_in_transaction()) {
      connection_.execute("ROLLBACK");
    }
  } catch (const Error&) {  // it ends with the connection
  }
  remove_new_files(0);
  lock_.reset();
}

void Database::begin_statement() {
  num_files_before_statement_ = new_files_.size();
  connection_.execute("SAVEPOINT tessera_statement");
}

void Database::end_statement() {
  connection_.execute("RELEASE tessera_statement");
}

bool Database::undo_statement() {
  if (!connection_.is_in_transaction()) {
    roll_back();
    return false;
  }
  open_rows_.close_all();
  connection_.execute("ROLLBACK TO tessera_statement; RELEASE tessera_statement");
  remove_new_files(num_files_before_statement_);
  return true;
}

void Database::remove_new_files(size_t num_left) noexcept {
  if (new_files_.size() > num_left) {
    remove_unnamed(std::span(new_files_).subspan(num_left));
    new_files_.resize(num_left);
  }
}

void Database::remove_unnamed(std::span<const int64_t> files) noexcept {
  if (files.empty()) {
    return;
  }
  try {
    const std::vector<int64_t> all = catalog_.files();
    const std::set<int64_t> named(all.begin(), all.end());
    for (const int64_t file : files) {
      if (named.count(file) == 0) {
        open_rows_.close_all();
        std::error_code error;  // the next writer removes those that stay
        std::filesystem::remove(path_of(file), error);
      }
    }
  } catch (const std::exception&) {  // the catalog cannot be read, so all files stay
  }
}

void Database::commit_and_go_on() {
  new_files_.clear();
  connection_.execute("COMMIT");
  connection_.execute("BEGIN IMMEDIATE");
  sweep();
}

std::string Database::path_of(int64_t file) const {
  return fmt::format("{}{}/{}.npy", directory_, kTensorsFolder, file);
}

io::CheckedArray Database::file_of(int64_t file, const ArrayType& type) const {
  return {path_of(file), fmt::format("rows of tensors, file {}", file), type};
}

void Database::sweep() {
  std::set<std::string> used;
  for (const int64_t file : catalog_.files()) {
    used.insert(fmt::format("{}.npy", file));
  }
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_ + kTensorsFolder, error)) {
    if (used.count(entry.path().filename().string()) == 0) {
      open_rows_.close_all();
      std::filesystem::remove(entry.path(), error);
    }
  }
}

int64_t Database::num_rows(const Column& column) const {
  const std::vector<Segment> segments = catalog_.segments(column.id);
  if (const std::optional<Segment> recent = catalog_.recent_rows().segment(column.id)) {
    return recent->first_row + recent->num_rows;
  }
  return segments.empty() ? 0 : segments.back().first_row + segments.back().num_rows;
}

std::unique_ptr<store::TileSource> Database::open_tensor(const Column& column) const {
  const std::optional<ArrayType> element = element_type(std::get<TensorType>(column.type));
  if (!element) {
    return nullptr;
  }
  std::vector<io::FileRows> parts;
  int64_t num_rows = 0;
  for (const Segment& segment : catalog_.segments(column.id)) {
    io::CheckedArray file = file_of(segment.file, rows_of(segment.num_rows, *element));
    std::shared_ptr<const store::TileSource> rows = open_rows_.in_file(segment.file, file);
    parts.push_back({segment.first_row, std::move(file), std::move(rows)});
    num_rows = segment.first_row + segment.num_rows;
  }
  if (const std::optional<Segment> recent = catalog_.recent_rows().segment(column.id)) {
    parts.push_back({recent->first_row,
                     {},
                     open_rows_.recent(catalog_.recent_rows(), column.id, *recent, *element)});
    num_rows = recent->first_row + recent->num_rows;
  }
  return std::make_unique<io::RowsInFiles>(rows_of(num_rows, *element), std::move(parts));
}

NewRows Database::new_rows(const ArrayType& type) {
  const int64_t file = catalog_.new_file();
  new_files_.push_back(file);
  return {file, type,
          io::create_checked(file_of(file, type), others_, num_threads_,
                             io::AtomicFile::Existing::refused)};
}

int64_t Database::add_rows(const Column& column, NewRows rows) {
  write_recent_rows(column);  // they come first
  rows.sink->commit(store::Durability::system);
  const int64_t first = num_rows(column);
  catalog_.add_segment(column.id, {first, rows.type.shape[0], rows.file});
  merge_segments(column, element_of(column));
  return first;
}

int64_t Database::add_rows(const Column& column, const store::MemoryTensor& rows) {
  const int64_t bytes = size_in_bytes(rows.type());
  if (bytes > kMostAddedBytes) {
    NewRows file = new_rows(rows.type());
    file.sink->write(rows.view());
    return add_rows(column, std::move(file));
  }
  const std::optional<Segment> recent = catalog_.recent_rows().segment(column.id);
  if (recent && recent->num_rows * size_in_bytes(element_of(column)) + bytes > kMostRecentBytes) {
    write_recent_rows(column);
  }
  const int64_t first = num_rows(column);
  if (rows.type().shape[0] > 0) {
    catalog_.recent_rows().add(column.id, first, rows);
  }
  return first;
}

void Database::write_recent_rows(const Column& column) {
  const std::optional<Segment> recent = catalog_.recent_rows().segment(column.id);
  if (!recent) {
    return;
  }
  const ArrayType element = element_of(column);
  const std::shared_ptr<const store::MemoryTensor> rows =
      catalog_.recent_rows().read(column.id, element);
  NewRows file = new_rows(rows->type());
  file.sink->write(rows->view());
  file.sink->commit(store::Durability::system);
  catalog_.recent_rows().remove(column.id);
  catalog_.add_segment(column.id, {recent->first_row, recent->num_rows, file.file});
  merge_segments(column, element);
}

void Database::merge_segments(const Column& column, const ArrayType& element) {
  const int64_t row_bytes = std::max<int64_t>(1, size_in_bytes(element));
  std::vector<Segment> segments = catalog_.segments(column.id);
  // Each segment is merged with the one before if that is not larger, so that the sizes fall and
  // there are few segments.
  size_t first = segments.size() - 1;
  int64_t num_rows = segments[first].num_rows;
  while (first > 0 && segments[first - 1].num_rows <= num_rows &&
         (num_rows + segments[first - 1].num_rows) * row_bytes <= kMergedBytes) {
    num_rows += segments[--first].num_rows;
  }
  if (first + 1 == segments.size()) {
    return;
  }
  const ArrayType type = rows_of(num_rows, element);
  store::MemoryTensor merged(type);
  for (size_t number = first; number < segments.size(); ++number) {
    Box box = whole(type.shape);
    box.origin[0] = segments[number].first_row - segments[first].first_row;
    box.extent[0] = segments[number].num_rows;
    TileView rows = subview(merged.view(), box);
    rows.origin[0] = 0;
    io::open_checked(file_of(segments[number].file, rows_of(box.extent[0], element)))->read(rows);
  }
  NewRows rows = new_rows(type);
  rows.sink->write(merged.view());
  rows.sink->commit(store::Durability::system);
  catalog_.remove_segments(column.id, segments[first].first_row);
  catalog_.add_segment(column.id, {segments[first].first_row, num_rows, rows.file});
}

std::vector<std::string> Database::faults_of(const Table& table) const {
  std::vector<std::string> faults;
  for (const Column& column : table.columns) {
    const TensorType* const tensor = tensor_of(column.type);
    const auto element = tensor == nullptr ? std::nullopt : element_type(*tensor);
    if (element) {
      try {
        catalog_.recent_rows().read(column.id, *element);
      } catch (const Error& error) {
        faults.push_back(fmt::format("{}.{}: {}", table.name, column.name, error.message()));
      }
    }
    for (const Segment& segment : element ? catalog_.segments(column.id) : std::vector<Segment>()) {
      try {
        const auto fault =
            io::fault_of(file_of(segment.file, rows_of(segment.num_rows, *element)), num_threads_);
        if (fault) {
          faults.push_back(fmt::format("{}.{}: file tensors/{}.npy: {}", table.name, column.name,
                                       segment.file, *fault));
        }
      } catch (const Error& error) {
        faults.push_back(fmt::format("{}.{}: {}", table.name, column.name, error.message()));
      }
    }
  }
  return faults;
}

std::vector<std::string> Database::faults() const {
  std::vector<std::string> faults;
  try {
    Statement check = connection_.prepare("PRAGMA integrity_check");
    while (check.step()) {
      if (check.text(0) != "ok") {
        faults.push_back("catalog.sqlite: " + check.text(0));
      }
    }
  } catch (const Error& error) {
    faults.push_back("catalog.sqlite: " + error.message());
  }
  for (const std::string& page : damaged_pages(directory_ + kCatalogFile)) {
    faults.push_back("catalog.sqlite: " + page);
  }
  try {
    for (const std::vector<std::string>& names : {catalog_.tables(), catalog_.kept_tables()}) {
      for (const std::string& name : names) {
        const std::vector<std::string> of_table = faults_of(catalog_.find_table(name).value());
        faults.insert(faults.end(), of_table.begin(), of_table.end());
      }
    }
  } catch (const Error& error) {  // of a damaged catalog
    faults.push_back("tensors/ was not looked at: " + error.message());
  }
  return faults;
}

}  // namespace tessera::database
