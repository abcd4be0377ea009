#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/session.h"
#include "sql/term.h"
#include "store/tile_io.h"

namespace tessera::sql {

/// A tensor of the program whose first modes are rows: one mode, or several where the rows fill a
/// grid, row-major.
struct TensorRows {
  std::string name;
  Shape grid;
  ArrayType element;  // of each row
};

int64_t num_rows(const TensorRows& rows);
/// f64[n,…]: what holds all rows.
ArrayType type_of(const TensorRows& rows);

/// Who follows the runs of tensor parts while they go on: a progress bar.
class RunFollower {
 public:
  virtual ~RunFollower() = default;
  /// Before a plan runs; what hears of its tasks, or null.
  virtual runtime::RunListener* begin(const engine::Plan& plan) = 0;
  /// When it has run, or failed.
  virtual void end() = 0;
};

/// The tensor part of statements, as it grows: a program in the language of `.ein` whose inputs are
/// stored tensors and the row numbers that queries told. Nothing runs until results are asked for;
/// what they need then runs at once, planned as one program.
///
/// Threads: one at a time.
class TensorProgram {
 public:
  /// The session outlives it, and so does a follower.
  explicit TensorProgram(const engine::Session& session, RunFollower* follower = nullptr)
      : session_(session), follower_(follower) {}

  /// Stored tensors as an input. The same key gives the same input.
  TensorRows add_stored(const std::string& key, std::shared_ptr<const store::TileSource> rows);
  /// Row numbers, or another value for each row, as an input; its name.
  std::string add_values(const std::vector<int64_t>& values, const Shape& grid);
  std::string add_values(const std::vector<double>& values, const Shape& grid);
  /// A tensor for each row of a grid: `name[left] = text`. `left` says the rows, `i_500` or
  /// `R3[i_500] of 10`, then the labels of the tensor's modes; `labels` are all of the statement.
  TensorRows add(const Shape& grid, const ArrayType& element, const Labels& left,
                 const std::string& text, const FreshLabels& labels);
  /// A tensor without rows.
  TensorRows add_empty(const ArrayType& element);
  /// The rows of several tensors, all of one type, one after the other.
  TensorRows add_joined(const std::vector<TensorRows>& parts);
  /// The same rows as a grid of another shape; nothing where that is not to be had without
  /// computing.
  std::optional<TensorRows> laid_out(const TensorRows& rows, const Shape& grid);

  /// Whether a tensor is a statement that has not run.
  bool is_computed(const std::string& name) const { return statements_.count(name) != 0; }

  /// Runs what these results need; of rows that are a grid the sink has one mode. Errors: those of
  /// Session::execute.
  void run(const std::map<std::string, store::TileSink*>& results,
           const engine::RunControl& control);
  /// Runs what these tensors need, and keeps them, in files without names, as inputs of what
  /// follows.
  void keep(const std::vector<std::string>& names, const engine::RunControl& control);

  /// Forgets what was kept or computed and is none of these; stored tensors stay. REQUIRES that
  /// nothing else is wanted.
  void forget_others(const std::vector<std::string>& names);
  /// What the plans that ran so far were to take, by their estimates, of all workers together.
  double estimated_seconds() const { return estimated_seconds_; }
  int64_t num_statements() const { return static_cast<int64_t>(order_.size()); }

  /// What runs for these results, as `.ein` has it; `types` are those of its inputs.
  struct Text {
    std::string text;
    std::map<std::string, ArrayType> types;
  };
  Text text_for(const std::vector<std::string>& results) const;
  const engine::Session& session() const { return session_; }

 private:
  struct Statement {
    std::string text;
    ArrayType type;
    Shape grid;
    std::vector<std::string> reads;
    Labels labels;

    /// f64[n,…]: its rows in one mode.
    ArrayType flat_type() const {
      ArrayType flat{type.dtype, {num_elements(grid)}};
      flat.shape.insert(flat.shape.end(),
                        type.shape.begin() + static_cast<std::ptrdiff_t>(grid.size()),
                        type.shape.end());
      return flat;
    }
  };

  std::string add_source(std::shared_ptr<const store::TileSource> source,
                         const std::string& prefix);
  std::vector<std::string> names_in(const std::string& text) const;
  /// Inputs and statements behind results, in the order they were added.
  std::set<std::string> needed_by(const std::vector<std::string>& results) const;

  const engine::Session& session_;
  RunFollower* follower_;                                                    // may be null
  std::map<std::string, std::shared_ptr<const store::TileSource>> sources_;  // by name
  std::map<std::string, std::string> stored_;                                // name by key
  std::map<std::string, Statement> statements_;
  std::vector<std::string> order_;  // of statements
  int64_t num_names_ = 0;
  double estimated_seconds_ = 0;
};

}  // namespace tessera::sql
