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
#include "program/growing/statement_place.h"
#include "program/growing/statement_text.h"
#include "program/growing/term.h"
#include "program/processes/first_process.h"
#include "program/runs/known_plans.h"
#include "program/runs/run_follower.h"
#include "program/runs/written_numbers.h"
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

/// How a program is cut in frames.
struct Framing {
  frames::Cutter cutter = frames::Cutter::gqap;
  frames::FrameSize size = {24, 48};  // in statements
  frames::PipeliningHistory history;  // what is believed follows from it
};

/// The tensor part of statements, as it grows: a program in the language of `.ein` whose inputs are
/// stored tensors and the row numbers that queries told. A statement that is there already is not
/// added again. Nothing runs until results are asked for; what they need then runs in frames, each
/// planned as one program: between them tensors are in files without names, small ones in memory,
/// until the last frame that reads them has run.
///
/// Threads: one at a time.
class TensorProgram {
 public:
  /// Records pipelined tensors in `learned`, and keeps plans in `plans`. Both outlive this, and so
  /// do the session and the follower.
  TensorProgram(const engine::Session& session, Framing framing, frames::PipeliningHistory& learned,
                KnownPlans& plans, RunFollower* follower = nullptr, ShowError show_error = {});

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
  /// A file that is written, then read.
  struct KeptFile {
    std::shared_ptr<store::TileSink> sink;
    std::shared_ptr<const store::TileSource> source;
  };
  /// Where numbers go that are read once more: to memory, or, if they are many, to a file.
  KeptFile place_for_numbers(const ArrayType& type) const;
  /// A file without a name.
  KeptFile new_file(const ArrayType& type) const;
  /// True if several processes run the program.
  bool is_on_many_processes() const { return others_.has_value(); }
  /// A tensor for each row of a grid: `name[left] = text`. `left` says the rows, `i_500` or
  /// `R3[i_500] of 10`, then the labels of the tensor's modes; `labels` are all of the statement.
  TensorRows add(const Shape& grid, const ArrayType& element, const Labels& left,
                 const std::string& text, const FreshLabels& labels);
  /// The same of a part of an expression in which no version is, while a program is unrolled: a
  /// statement that stays for all versions, so that it is computed once. Nothing for what is
  /// computed element by element, which takes no longer than to read it.
  std::optional<TensorRows> add_once(const Shape& grid, const ArrayType& element,
                                     const Labels& left, const std::string& text,
                                     const FreshLabels& labels);
  void set_unrolled(bool is_unrolled) { is_unrolled_ = is_unrolled; }
  bool is_unrolled() const { return is_unrolled_; }
  /// A tensor without rows.
  TensorRows add_empty(const ArrayType& element);
  /// The rows of several tensors, all of one shape, one after the other.
  TensorRows add_joined(const std::vector<TensorRows>& parts);
  /// The same rows as a grid of another shape; nothing where that is not to be had without
  /// computing.
  std::optional<TensorRows> laid_out(const TensorRows& rows, const Shape& grid);

  /// Whether a tensor is a statement that has not run.
  bool is_computed(const std::string& name) const { return statements_.count(name) != 0; }

  /// What is stored, or was kept, of a tensor. REQUIRES that it is no statement.
  const store::TileSource& source(const std::string& name) const { return *sources_.at(name); }

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
  /// no text that names tensors is to be added yet.
  void forget_unheld();
  /// What the plans that ran so far were to take, by their estimates, of all workers together.
  double estimated_seconds() const { return estimated_seconds_; }
  int64_t num_statements() const { return static_cast<int64_t>(order_.size()); }

  /// From now on what runs is noted, for EXPLAIN, and nothing runs because there is much of it.
  void note_runs() { notes_runs_ = true; }
  /// What ran since, as `.ein` has it.
  const std::vector<std::string>& runs() const { return runs_; }
  /// What a tensor is to the user, where runs are noted: "W[3].mat".
  void call(const std::string& name, const std::string& title);
  const std::string& title_of(const std::string& name) const;
  /// Whether so many statements wait that they are to be run before there are more: a frame is
  /// chosen of many, and chains of any length take as little memory.
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

  /// What runs for a frame, as `.ein` has it; `types` are those of its inputs.
  struct Text {
    std::string text;
    std::map<std::string, std::string> tensors;  // by their names in the text
    std::map<std::string, ArrayType> types;
    int64_t num_lines_before = 0;         // the first statement
    std::vector<std::string> statements;  // a line each
  };
  Text text_of(const Frame& frame) const;
  /// Writes a frame with its tensors named by position, so that frames that compute the same from
  /// other tensors have equal texts.
  Text text_by_place(const Frame& frame) const;
  /// The name that errors give to such a text. No user sees it.
  static constexpr const char* kTextName = "<tensor part>";
  /// Does something with a text. Errors: what an error of it is about is shown in the SQL that says
  /// it, with the place of the expression where it is known.
  template <class Do>
  auto with_places(const Text& text, const Do& act) const {
    try {
      return act();
    } catch (const Error& error) {
      fail_at_place(text, error);
    }
  }

  /// Where what is added from now on is said in SQL (PlaceOfStatements).
  const StatementPlace& place() const { return place_; }
  void set_place(StatementPlace place) { place_ = std::move(place); }
  /// What all rows of a tensor are.
  ArrayType type_of_tensor(const std::string& name) const;
  const engine::Session& session() const { return session_; }

 private:
  struct Statement {
    std::string text;
    ArrayType type;
    Shape grid;
    StatementText reading;
    Labels labels;
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

  [[noreturn]] void fail_at_place(const Text& text, const Error& error) const;

  /// Gives names of the program new names in a text.
  using Rename = std::function<std::string(const std::string& text)>;
  Text text_of(const Frame& frame, const Rename& rename) const;

  using Between = std::map<std::string, std::shared_ptr<const store::TileSource>>;

  std::string add_source(std::shared_ptr<const store::TileSource> source,
                         const std::string& prefix);
  std::shared_ptr<const std::string> hold(const std::string& name);
  std::vector<std::string> held_names() const;
  template <class T>
  std::string add_numbers(const std::vector<T>& values, DType dtype, const Shape& grid,
                          const std::string& prefix);
  bool is_name(const std::string& word) const {
    return sources_.count(word) != 0 || statements_.count(word) != 0;
  }
  /// Makes the place of a tensor that later frames or statements read: a file, or memory if the
  /// tensor is so small that an open file would take as much.
  KeptFile place_for_tensor(const ArrayType& type) const;
  /// Statements behind results, in the order they were added.
  std::vector<std::string> needed_by(const std::vector<std::string>& results) const;
  frames::OperatorGraph graph_of(const std::vector<std::string>& statements) const;
  void run_frame(const Frame& frame, const std::map<std::string, store::TileSink*>& results,
                 Between& between, const engine::RunControl& control);
  RowSink row_sink_of(const std::string& name, store::TileSink* sink) const;
  void run_text(const Frame& frame, const std::map<std::string, store::TileSink*>& sinks,
                const Between& between, const engine::RunControl& control);
  /// Counts what of a frame was pipelined: what its plan did not make.
  void learn(const Text& program, const std::set<std::string>& made);
  /// Runs a program by its plan, which is made where it is not known.
  void run_program(const Text& program, engine::Round round, const engine::Outlets& outlets);
  std::shared_ptr<const store::TileSource> rows_of(
      const std::string& name, std::shared_ptr<const store::TileSource> file) const;

  const engine::Session& session_;
  Framing framing_;
  frames::PipeliningHistory& learned_;
  KnownPlans& plans_;
  RunFollower* follower_;  // may be null
  ShowError show_error_;
  std::map<std::string, std::shared_ptr<const store::TileSource>> sources_;  // by name
  std::map<std::string, std::string> stored_;                                // name by key
  std::unordered_multimap<size_t, std::string> numbers_;  // name by hash of type and elements
  std::map<std::string, std::string> written_;            // name by key
  std::map<std::string, Statement> statements_;
  std::map<std::string, std::weak_ptr<const std::string>> holders_;  // of tensors, by name
  std::map<std::string, std::string> known_texts_;  // name by what a statement says
  struct Once {
    TensorRows rows;
    std::vector<std::string> reads;
    int64_t last_used = 0;
  };
  bool is_unrolled_ = false;
  std::map<std::string, Once> once_;  // by what a statement says; those that were used last
  int64_t num_uses_of_once_ = 0;
  std::map<std::string, int64_t> num_readers_;  // of a statement, among statements
  std::vector<std::string> order_;              // of statements
  StatementPlace place_;
  bool notes_runs_ = false;
  std::vector<std::string> runs_;
  std::map<std::string, std::string> titles_;  // by name
  int64_t num_names_ = 0;
  double estimated_seconds_ = 0;
  std::optional<FirstProcess> others_;  // where there are several processes
};

}  // namespace tessera::program
