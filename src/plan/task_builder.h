#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/context.h"
#include "kernels/kernel.h"
#include "machine/file_cost.h"
#include "plan/lineage.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// A builder of tiles, programs and tasks. It chooses the kernel of every compute task, once for
/// calls of one size. Tasks are added in an order in which every tile is written before it is read.
class TaskBuilder {
 public:
  /// Builds for `num_sites` sites, each with a memory of its own: site n has space n. Borrows the
  /// context.
  explicit TaskBuilder(const kernels::Context& context, int64_t num_sites = 1);

  /// Makes room for this many tiles and tasks at once.
  void reserve(size_t num_tiles, size_t num_tasks) {
    tasks_.tiles.reserve(num_tiles);
    tasks_.tasks.reserve(num_tasks);
  }

  /// Sets the source place of the next tiles and tasks.
  void set_origin(const Origin& origin) {
    origin_ = origin;
    relation_ = origin.statement;
  }

  /// Sets the site of the next tiles and tasks.
  void set_site(SiteId site) { site_ = site; }

  /// Adds tiles, one for each array of the tuple with this key.
  std::vector<View> new_tuple(const tra::RelationType& type, const Key& key);

  /// Adds a tile here that holds the elements of a tile elsewhere.
  View new_tile_like(TileId other);

  /// The tiles and tasks added so far.
  const TaskGraph& graph() const { return tasks_; }

  /// Returns the program's number. Equal programs are kept once.
  ProgramId intern(const Shared<expr::TileProgram>& program);

  void add_compute(ProgramId program, std::vector<kernels::LabelRange> ranges, bool accumulate,
                   std::vector<View> inputs, std::vector<View> outputs);
  /// Adds a source, unless one of its name is there.
  void add_source(SourceInfo source);
  /// Adds a read of a tile from a source of this shape and storage order.
  void add_read(const Shared<std::string>& source, const Shape& shape, StorageOrder order,
                const View& tile);
  /// Adds a gather of elements of a source, by a program whose inputs are the tables and the
  /// source.
  void add_gather(const tra::SourceTensor& source, ProgramId program,
                  std::vector<kernels::LabelRange> ranges, std::vector<View> tables, View gathered);
  void add_copy(const View& from, const View& to);
  /// Adds a move of a view of a whole tile on another site to such a view here.
  void add_move(const View& from, const View& to);
  /// Adds a write, on the site that has the view.
  void add_write(const Shared<std::string>& sink, const Shape& shape, const View& from);
  void add_sink(SinkInfo sink) { tasks_.sinks.push_back(std::move(sink)); }

  /// Returns all that was added, in its order, and frees the rest.
  TaskGraph take() && {
    program_of_hash_.clear();
    choices_.clear();
    return std::move(tasks_);
  }

 private:
  /// The kernel chosen for a program on calls of one size.
  struct Chosen {
    Shared<std::string> kernel;
    kernels::Cost cost;
    int64_t workspace_bytes = 0;
  };

  const Chosen& choose(ProgramId program, const kernels::CallShape& shape,
                       const std::vector<View>& inputs);
  /// Returns the bytes of the program's inputs if its price depends on them; else nothing.
  std::vector<int64_t> sizes_that_count(const expr::TileProgram& program,
                                        const std::vector<View>& inputs) const;
  /// Makes a task that moves the elements of a view, without its ends and its estimate.
  TaskInfo transfer_of(TaskKind kind, const View& moved) const;
  /// Adds a task between two views.
  void add_box_task(TaskKind kind, const View& from, const View& to);
  /// Adds a task between a view and a file of that shape and order.
  void add_file_task(TaskInfo task, const Shared<std::string>& name, FileArray file,
                     const View& moved);

  const kernels::Context& context_;
  Shared<Origin> origin_;
  Shared<std::string> relation_;  // its statement
  SiteId site_ = kFirstSite;
  std::unordered_multimap<size_t, ProgramId> program_of_hash_;
  std::map<std::vector<int64_t>, Chosen> choices_;  // by program, accumulation, lengths
                                                    // and the sizes of inputs that count
  TaskGraph tasks_;
};

}  // namespace tessera::plan
