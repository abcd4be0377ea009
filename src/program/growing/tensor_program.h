#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/session.h"
#include "program/frames/cut.h"
#include "program/growing/bound_statements.h"
#include "program/growing/frame_program.h"
#include "program/growing/known_plans.h"
#include "program/growing/program_inputs.h"
#include "program/growing/statement.h"
#include "program/growing/statement_place.h"
#include "program/processes/first_process.h"
#include "program/runs/run_follower.h"
#include "store/tile_io.h"

namespace tessera::program {

/// A tensor of the program whose first modes are rows: one mode, or several where the rows fill a
/// grid, row-major.
struct TensorRows {
  std::string name;
  Shape grid;
  ArrayType element;                                  // of each row
  std::shared_ptr<const std::string> held = nullptr;  // for whoever has it the program keeps it
  bool is_of_table = false;  // of the database: no version has a part in it
};

int64_t num_rows(const TensorRows& rows);
/// f64[n,…]: what holds all rows.
ArrayType type_of(const TensorRows& rows);

/// The settings by which a program is cut into frames.
struct Framing {
  frames::Cutter cutter = frames::Cutter::gqap;
  frames::FrameSize size = {24, 48};  // in statements
  frames::PipeliningHistory history;  // what is believed follows from it
};

/// Knowledge of earlier programs, for later ones.
struct Learned {
  explicit Learned(const engine::Session& session)
      : statements({session.functions(), session.aggregates()}) {}

  frames::PipeliningHistory pipelining;
  BoundStatements statements;
  KnownPlans plans;
};

/// A program over tensors that grows statement by statement. Its inputs are stored tensors and
/// numbers that are known. A statement is bound when it is added; one that is there already is not
/// added again. Nothing runs until results are asked for. Their statements then run in frames, each
/// planned as one program: between frames tensors are in files without names, small ones in memory,
/// until the last frame that reads them has run.
///
/// Threads: one at a time.
class TensorProgram {
 public:
  /// The name that errors give to the text of a frame. No user sees it.
  static constexpr const char* kTextName = "<tensor part>";

  /// All outlive it.
  TensorProgram(const engine::Session& session, Framing framing, Learned& learned,
                RunFollower* follower = nullptr, ShowError show_error = {});

  /// Stored tensors as an input. The same key gives the same input.
  TensorRows add_stored(const std::string& key, std::shared_ptr<const store::TileSource> rows);
  /// Row numbers, or another value for each row, as an input; its name.
  std::string add_values(const std::vector<int64_t>& values, const Shape& grid);
  std::string add_values(const std::vector<double>& values, const Shape& grid);
  /// The bits of numbers of 64 bits.
  std::string add_values(const std::vector<uint64_t>& bits, DType dtype, const Shape& grid);
  /// True if a value for each of so many rows takes more than a small part of the budget: such
  /// values are to be written to files. False on many processes, which are sent them.
  bool is_written(int64_t num_rows) const;
  /// Values that `write` puts into a file, in the order of their rows, as an input. The same key
  /// has the same values.
  std::string add_written(const std::string& key, DType dtype, const Shape& grid,
                          const std::function<void(WrittenNumbers&)>& write);
  /// Makes a place for numbers that are read once more: memory, or a file if they are many.
  KeptFile place_for_numbers(const ArrayType& type) const;
  /// A file without a name.
  KeptFile new_file(const ArrayType& type) const;
  /// True if several processes run the program.
  bool is_on_many_processes() const { return others_.has_value(); }
  /// Adds a tensor for each row of a grid. The left side has the rows, as labels or groups, then
  /// the labels of the tensor's modes. Errors: `user`, `unsupported`, at place(), if the statement
  /// has no meaning.
  TensorRows add(const Shape& grid, const ArrayType& element, const Assignment& assignment);
  /// Adds a part of an expression without versions while a program is unrolled: a statement that
  /// stays for all versions, so that it is computed once. Returns nothing if it is element-wise,
  /// because computing it takes no longer than reading it.
  std::optional<TensorRows> add_once(const Shape& grid, const ArrayType& element,
                                     const Assignment& assignment);
  void set_unrolled(bool is_unrolled) { is_unrolled_ = is_unrolled; }
  bool is_unrolled() const { return is_unrolled_; }
  /// A tensor without rows.
  TensorRows add_empty(const ArrayType& element);
  /// The rows of several tensors, all of one shape, one after the other.
  TensorRows add_joined(const std::vector<TensorRows>& parts);
  /// Returns the same rows as a grid of another shape; nothing if that needs a computation.
  std::optional<TensorRows> laid_out(const TensorRows& rows, const Shape& grid);

  /// True if a tensor is a statement that has not run.
  bool is_computed(const std::string& name) const { return statements_.count(name) != 0; }

  /// Returns the data of a tensor that is stored or kept. REQUIRES that it is no statement.
  const store::TileSource& source(const std::string& name) const { return *inputs_.at(name); }

  /// Runs what these results need; of rows that are a grid the sink has one mode. Errors: those of
  /// Session::execute.
  void run(const std::map<std::string, store::TileSink*>& results,
           const engine::RunControl& control);
  /// Runs what these tensors need, and keeps them, in files without names, as inputs of what
  /// follows.
  void keep(const std::vector<std::string>& names, const engine::RunControl& control);

  /// Runs what the tensors need that somebody holds, and keeps them.
  void keep_held(const engine::RunControl& control) { keep(held_names(), control); }
  /// Forgets what nobody holds; stored tensors stay. REQUIRES that what is held was kept, and that
  /// no expression that reads tensors is to be added yet.
  void forget_unheld();
  /// Returns the estimated time of the plans that ran so far, summed over workers.
  double estimated_seconds() const { return estimated_seconds_; }
  int64_t num_statements() const { return static_cast<int64_t>(order_.size()); }

  /// From now on what runs is noted, for EXPLAIN, and nothing runs because there is much of it.
  void note_runs() { notes_runs_ = true; }
  /// Returns the programs that ran since, in the language of `.ein`.
  const std::vector<std::string>& runs() const { return runs_; }
  /// Gives a tensor the name that the user knows it by, if runs are noted: "W[3].mat".
  void call(const std::string& name, const std::string& title);
  const std::string& title_of(const std::string& name) const;
  /// True if enough statements wait to be run before more are added: a frame is chosen among many,
  /// and the memory for a chain does not depend on its length.
  bool is_full() const;

  /// Statements that run at once.
  struct Frame {
    std::vector<std::string> statements;
    std::vector<std::string> leaves;   // of these, what later frames read
    std::vector<std::string> results;  // what was asked for and comes from here, no statement too
  };
  /// An edge between frames, and how far it is believed that no tensor would have been between its
  /// ends.
  struct CutEdge {
    std::string producer;
    std::string reader;
    double belief = 0;
  };
  struct Schedule {
    std::vector<Frame> frames;
    std::vector<CutEdge> cut;
  };
  Schedule schedule_for(const std::vector<std::string>& results) const;
  const Framing& framing() const { return framing_; }

  /// Returns the program of a frame, in the language of `.ein`.
  std::string text_of(const Frame& frame) const;
  /// The plan of a frame, for EXPLAIN.
  engine::Stages planned(const Frame& frame) const;

  /// The place of what is added from now on (PlaceOfStatements).
  const StatementPlace& place() const { return place_; }
  void set_place(StatementPlace place) { place_ = std::move(place); }
  /// Returns the type of all rows of a tensor.
  ArrayType type_of_tensor(const std::string& name) const;
  const engine::Session& session() const { return session_; }

 private:
  struct Statement {
    Assignment assignment;
    std::vector<std::string> reads;
    frames::OperatorKind kind = frames::OperatorKind::map;
    BoundStatementPtr bound;
    ArrayType type;
    Shape grid;
    StatementPlace place;

    /// f64[n,…]: its rows in one mode.
    ArrayType flat_type() const {
      ArrayType flat{type.dtype, {num_elements(grid)}};
      flat.shape.insert(flat.shape.end(),
                        type.shape.begin() + static_cast<std::ptrdiff_t>(grid.size()),
                        type.shape.end());
      return flat;
    }
  };

  /// A statement and the rows that it makes: equal ones are one statement.
  struct StatementKey {
    Assignment assignment;
    Shape grid;
    ArrayType element;
    friend bool operator==(const StatementKey&, const StatementKey&) = default;
  };
  struct HashOfKey {
    size_t operator()(const StatementKey& key) const { return hash_of(key.assignment); }
  };
  /// The program of a frame. Tensors are in the order of their numbers in the shape.
  struct FrameProgram {
    FrameShape shape;
    std::vector<std::string> tensors;  // of this program
    std::vector<std::string> names;    // in what runs
    int64_t first_line = 1;            // of its statements, in a text of it
  };

  BoundStatementPtr bound(const Assignment& assignment, const std::vector<std::string>& reads,
                          const TensorRows& rows) const;
  FrameProgram program_for(const Frame& frame) const;
  /// Returns the program of a frame with the names that tensors have in this program.
  FrameProgram named_program_for(const Frame& frame) const;
  std::vector<std::string> heading_of(const FrameProgram& program, const Frame& frame) const;
  static frontend::BoundProgram bound_program(const FrameProgram& program);

  /// Does something with what runs for a frame. Errors are shown at the places of their statements.
  template <class Do>
  auto with_places(const FrameProgram& program, const Do& act) const {
    try {
      return act();
    } catch (const Error& error) {
      fail_at_place(program, error);
    }
  }
  [[noreturn]] void fail_at_place(const FrameProgram& program, const Error& error) const;
  [[noreturn]] void fail_at(const StatementPlace& place, const Error& error) const;
  /// Returns the error without labels and made-up names. Tensors have these names in it.
  Error in_words_of_user(const Error& error, const std::vector<std::string>& names,
                         const std::vector<std::string>& tensors) const;

  using Between = std::map<std::string, std::shared_ptr<const store::TileSource>>;

  std::shared_ptr<const std::string> hold(const std::string& name);
  std::vector<std::string> held_names() const;
  /// Makes the place of a tensor that later frames or statements read: a file, or memory if the
  /// tensor is so small that an open file would take as much.
  KeptFile place_for_tensor(const ArrayType& type) const;
  /// Statements behind results, in the order they were added.
  std::vector<std::string> needed_by(const std::vector<std::string>& results) const;
  frames::OperatorGraph graph_of(const std::vector<std::string>& statements) const;
  void run_frame(const Frame& frame, const std::map<std::string, store::TileSink*>& results,
                 Between& between, const engine::RunControl& control);
  RowSink row_sink_of(const std::string& name, store::TileSink* sink) const;
  void run_planned(const Frame& frame, const std::map<std::string, store::TileSink*>& sinks,
                   const Between& between, const engine::RunControl& control);
  /// Counts what of a frame was pipelined: what its plan did not make.
  void learn(const FrameProgram& program, const std::set<std::string>& made);
  /// Runs a program by its plan, which is made if it is not known.
  void run_program(const FrameProgram& program, const Between& inputs,
                   const engine::Outlets& outlets);
  static engine::Sources sources_in(const Between& inputs);
  std::shared_ptr<const store::TileSource> rows_of(
      const std::string& name, std::shared_ptr<const store::TileSource> file) const;

  const engine::Session& session_;
  Framing framing_;
  Learned& learned_;
  RunFollower* follower_;  // may be null
  ShowError show_error_;
  ProgramInputs inputs_;
  std::map<std::string, Statement> statements_;
  std::map<std::string, std::weak_ptr<const std::string>> holders_;  // of tensors, by name
  std::unordered_map<StatementKey, std::string, HashOfKey> known_;   // name by statement
  struct Once {
    TensorRows rows;
    std::vector<std::string> reads;
    int64_t last_used = 0;
  };
  bool is_unrolled_ = false;
  std::unordered_map<StatementKey, Once, HashOfKey> once_;  // those that were used last
  int64_t num_uses_of_once_ = 0;
  std::map<std::string, int64_t> num_readers_;  // of a statement, among statements
  std::vector<std::string> order_;              // of statements
  StatementPlace place_;
  bool notes_runs_ = false;
  std::vector<std::string> runs_;
  std::map<std::string, std::string> titles_;  // by name
  double estimated_seconds_ = 0;
  std::optional<FirstProcess> others_;  // where there are several processes
};

}  // namespace tessera::program
