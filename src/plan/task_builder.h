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

/// Collects tiles, programs and tasks; chooses the kernel of every compute task, once for calls of
/// one size. Tasks are added in an order in which every tile is written before it is read.
class TaskBuilder {
 public:
  /// For so many sites, each with a memory of its own: site n has space n. Borrows the context.
  explicit TaskBuilder(const kernels::Context& context, int64_t num_sites = 1);

  /// Makes room for so many tiles and tasks at once.
  void reserve(size_t num_tiles, size_t num_tasks) {
    tasks_.tiles.reserve(num_tiles);
    tasks_.tasks.reserve(num_tasks);
  }

  /// Whose words the tiles and tasks from here on come from.
  void set_origin(const Origin& origin) {
    origin_ = origin;
    relation_ = origin.statement;
  }

  /// Where the tiles and tasks from here on are.
  void set_site(SiteId site) { site_ = site; }

  /// New tiles, one for each array of the tuple with this key.
  std::vector<View> new_tuple(const tra::RelationType& type, const Key& key);

  /// A new tile here that holds what another one does elsewhere.
  View new_tile_like(TileId other);

  /// What was added so far.
  const TaskGraph& graph() const { return tasks_; }

  /// The program's number; equal programs are kept once.
  ProgramId intern(const Shared<expr::TileProgram>& program);

  void add_compute(ProgramId program, std::vector<kernels::LabelRange> ranges, bool accumulate,
                   std::vector<View> inputs, std::vector<View> outputs);
  /// Adds a source, unless one of its name is there.
  void add_source(SourceInfo source);
  /// Reads a tile of a source of this shape that is stored in that order.
  void add_read(const Shared<std::string>& source, const Shape& shape, StorageOrder order,
                const View& tile);
  /// Gathers elements of a source, as a program says whose inputs are the tables and the source.
  void add_gather(const tra::SourceTensor& source, ProgramId program,
                  std::vector<kernels::LabelRange> ranges, std::vector<View> tables, View gathered);
  void add_copy(const View& from, const View& to);
  /// Brings the elements of a view of all of a tile on another site to such a view here.
  void add_move(const View& from, const View& to);
  /// On the site that has the view.
  void add_write(const Shared<std::string>& sink, const Shape& shape, const View& from);
  void add_sink(SinkInfo sink) { tasks_.sinks.push_back(std::move(sink)); }

  /// All that was added, in its order; what it was chosen by is given up.
  TaskGraph take() && {
    program_of_hash_.clear();
    choices_.clear();
    return std::move(tasks_);
  }

 private:
  /// The kernel of a program on calls of one size.
  struct Chosen {
    Shared<std::string> kernel;
    kernels::Cost cost;
    int64_t workspace_bytes = 0;
  };

  const Chosen& choose(ProgramId program, const kernels::CallShape& shape,
                       const std::vector<View>& inputs);
  /// The bytes of what a program reads, where its price depends on them; else nothing.
  std::vector<int64_t> sizes_that_count(const expr::TileProgram& program,
                                        const std::vector<View>& inputs) const;
  /// A task that moves the elements of a view; its ends and its estimate are to be set.
  TaskInfo transfer_of(TaskKind kind, const View& moved) const;
  /// Adds one between two views.
  void add_box_task(TaskKind kind, const View& from, const View& to);
  /// Adds one between a view and a file of that shape and order.
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
