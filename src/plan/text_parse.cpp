#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/text/parts.h"
#include "ir/document_nodes.h"
#include "ir/tra/text_monoid.h"
#include "ir/tra/text_relation.h"
#include "plan/rows.h"
#include "plan/text.h"
#include "plan/text_box.h"
#include "plan/text_words.h"
#include "plan/verify.h"

namespace tessera::plan {

namespace {

using expr::Scanner;
using ir::Description;
using ir::Field;

class PlanReader {
 public:
  PlanReader(const SourceText& source, const expr::FunctionRegistry& functions,
             const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), monoids_{aggregates, {}} {}

  TaskGraph run() && {
    const ir::Document document = ir::parse_stage(source_, "tasks");
    has_places_ = has_places(document);
    for (const Field& setting : document.settings) {
      read_setting(setting);
    }
    if (has_places_) {
      graph_.spaces.clear();
      graph_.sites.clear();
    }
    for (const Description& line : document.nodes) {
      read_line(line);
    }
    return std::move(graph_);
  }

 private:
  static bool has_places(const ir::Document& document) {
    return std::any_of(document.nodes.begin(), document.nodes.end(), [](const Description& line) {
      return line.op == "space" || line.op == "site";
    });
  }

  void read_setting(const Field& setting) {
    Scanner scanner(source_, setting.span);
    if (setting.name == "peak" || setting.name == "peak_at_most" ||
        setting.name == "smallest_budget") {
      if (has_places_) {
        ir::fail_at(source_, setting.span, "where spaces are named, each says its own");
      }
      read_proof(setting.name, scanner.integer(), graph_.spaces[0].proof);
      scanner.expect_end();
    } else if (setting.name == "reproducible") {
      graph_.is_reproducible = ir::read_reproducible(source_, setting);
    } else if (setting.name == "aggregate") {
      monoids_.defined.push_back(tra::parse_made_monoid(source_, setting, functions_));
    } else {
      ir::fail_at(source_, setting.span, "a plan has no such setting",
                  "peak=4096, smallest_budget=4096, reproducible=yes, aggregate={...}");
    }
  }

  /// Reads a figure of a proof. A peak is also the most at once, unless that is given too.
  static void read_proof(const std::string& name, int64_t bytes, MemoryProof& proof) {
    if (name == "peak") {
      proof.peak.expected = bytes;
      proof.peak.at_most = std::max(proof.peak.at_most, bytes);
    } else if (name == "peak_at_most") {
      proof.peak.at_most = bytes;
    } else {
      proof.smallest_budget = bytes;
    }
  }

  void read_line(const Description& line) {
    if (line.op == "program") {
      check_line(line, "p", graph_.programs.size(), {""});
      graph_.programs.push_back({tra::read_parameter(source_, line, "", [&](Scanner& scanner) {
        return expr::read_program(scanner, {}, monoids_, functions_);
      })});
    } else if (line.op == "space") {
      check_line(line, "m", graph_.spaces.size(),
                 {"process", "kind", "peak", "peak_at_most", "smallest_budget"});
      graph_.spaces.push_back(read_space(line));
    } else if (line.op == "site") {
      check_line(line, "s", graph_.sites.size(), {"space"});
      graph_.sites.push_back({SpaceId(read_number(line, "space", "m"))});
    } else if (line.op == "source") {
      graph_.sources.push_back({name_of_tensor(line), type_of_tensor(line)});
    } else if (line.op == "sink") {
      graph_.sinks.push_back({name_of_tensor(line), type_of_tensor(line)});
    } else if (line.op == "tile") {
      check_line(line, "t", graph_.tiles.size(), {"", "key", "column", "space", "last"});
      graph_.tiles.push_back(read_tile(line));
    } else {
      read_task(line);
    }
  }

  void check_line(const Description& line, const char* letter, size_t number,
                  const std::vector<std::string>& parameters) const {
    const std::string id = fmt::format("{}{}", letter, number);
    if (line.id != id) {
      ir::fail_at(source_, line.span, "lines are numbered in order: this is " + id);
    }
    ir::check_parameters(source_, line, parameters);
  }

  template <class Read>
  auto read(const Description& line, const std::string& name, Read read_value) const {
    return tra::read_parameter(source_, line, name, read_value);
  }

  SpaceInfo read_space(const Description& line) const {
    SpaceInfo space;
    space.process = static_cast<int32_t>(
        std::min<int64_t>(optional_integer(line, "process"), std::numeric_limits<int32_t>::max()));
    if (line.find("kind") != nullptr) {
      space.kind = read_memory_kind(line);
    }
    for (const char* name : {"peak", "peak_at_most", "smallest_budget"}) {
      if (line.find(name) != nullptr) {
        read_proof(name, optional_integer(line, name), space.proof);
      }
    }
    return space;
  }

  MemoryKind read_memory_kind(const Description& line) const {
    return read(line, "kind", [](Scanner& scanner) {
      const int64_t begin = scanner.position();
      const std::optional<MemoryKind> kind = memory_kind_named(scanner.name());
      if (!kind) {
        scanner.fail(scanner.since(begin), "a memory is that of the host or of a device");
      }
      return *kind;
    });
  }

  /// Reads the number behind a letter: m1, %7.
  int64_t read_number(const Description& line, const std::string& name, const char* letter) const {
    return read(line, name, [&](Scanner& scanner) {
      scanner.expect(letter);
      return number_in(scanner);
    });
  }

  /// Reads the name of a source or a sink.
  std::string name_of_tensor(const Description& line) const {
    ir::check_parameters(source_, line, {""});
    return tra::read_name_parameter(source_, line, "");
  }

  ArrayType type_of_tensor(const Description& line) const {
    const std::optional<ArrayType> type =
        line.type.text.empty() ? std::nullopt : parse_array_type(line.type.text);
    if (!type) {
      ir::fail_at(source_, line.span, fmt::format("a {} needs its type", line.op),
                  line.op + " Y : f32[128,8]");
    }
    return *type;
  }

  TileInfo read_tile(const Description& line) const {
    TileInfo tile;
    tile.relation = tra::read_name_parameter(source_, line, "");
    tile.key = read(line, "key", [](Scanner& scanner) {
      std::vector<int64_t> key;
      read_list(scanner, "(", ",", ")", [&] { key.push_back(scanner.integer()); });
      return key;
    });
    tile.column = optional_integer(line, "column");
    if (line.find("space") != nullptr) {
      tile.space = SpaceId(read_number(line, "space", "m"));
    }
    if (line.find("last") != nullptr) {
      tile.last_use = TaskId(read_number(line, "last", "%"));
    }
    if (line.type.text.empty()) {
      ir::fail_at(source_, line.span, "a tile needs its type", "write it last: f32[0:64,0:8]");
    }
    Scanner scanner(source_, line.type.span);
    tile.type = read_tile_type(scanner);
    scanner.expect_end();
    return tile;
  }

  /// Reads the number of a tile, task or program.
  static int64_t number_in(Scanner& scanner) {
    const int64_t begin = scanner.position();
    const int64_t number = scanner.integer();
    if (number < 0 || number > INT32_MAX) {
      scanner.fail(scanner.since(begin), "there is nothing of this number");
    }
    return number;
  }

  void read_task(const Description& line) {
    const auto* const kind = std::find(kKindWords.begin(), kKindWords.end(), line.op);
    if (line.op == "tasks") {
      ir::fail_at(source_, line.span, "another list of tasks begins here",
                  "of a plan in frames each frame is a text by itself");
    }
    if (kind == kKindWords.end()) {
      ir::fail_at(
          source_, line.span, "there is no task " + line.op,
          fmt::format("space, site, program, source, sink, tile, {}", fmt::join(kKindWords, ", ")));
    }
    check_line(line, "%", graph_.tasks.size(),
               {"", "site", "peer", "out", "program", "kernel", "ranges", "accumulate", "workspace",
                "flops", "bytes", "runs", "seconds"});
    TaskInfo task;
    task.kind = static_cast<TaskKind>(kind - kKindWords.begin());
    task.name = optional_name(line, "");
    if (line.find("site") != nullptr) {
      task.site = SiteId(read_number(line, "site", "s"));
    }
    if (line.find("peer") != nullptr) {
      task.peer = SiteId(read_number(line, "peer", "s"));
    }
    task.kernel = optional_name(line, "kernel");
    for (const Field& operand : line.operands) {
      Scanner scanner(source_, operand.span);
      task.inputs.push_back(read_argument(scanner));
      scanner.expect_end();
    }
    if (line.find("out") != nullptr) {
      task.outputs = read(line, "out", [&](Scanner& scanner) {
        std::vector<Argument> outputs;
        read_list(scanner, "(", ",", ")", [&] { outputs.push_back(read_argument(scanner)); });
        return outputs;
      });
    }
    read_call(line, task);
    task.workspace_bytes = optional_integer(line, "workspace");
    task.flops = optional_number(line, "flops");
    task.bytes = optional_number(line, "bytes");
    task.runs = optional_integer(line, "runs");
    task.seconds = optional_number(line, "seconds");
    if (line.comment != last_comment_) {
      last_comment_ = line.comment;
      last_origin_ = parse_origin(line.comment);
    }
    task.origin = last_origin_;  // tasks of one statement stand together, and share it
    graph_.tasks.push_back(std::move(task));
  }

  void read_call(const Description& line, TaskInfo& task) const {
    if (line.find("program") != nullptr) {
      task.program = ProgramId(read_number(line, "program", "p"));
    }
    if (line.find("ranges") != nullptr) {
      task.shape.ranges = read(line, "ranges", [&](Scanner& scanner) {
        std::vector<kernels::LabelRange> ranges;
        read_list(scanner, "(", ",", ")", [&] {
          const Interval interval = read_interval(scanner);
          ranges.push_back({interval.begin, interval.length});
        });
        return ranges;
      });
    }
    if (line.find("accumulate") != nullptr) {
      task.shape.accumulate = read(line, "accumulate", [&](Scanner& scanner) {
        scanner.expect("yes");
        return true;
      });
    }
  }

  int64_t optional_integer(const Description& line, const std::string& name) const {
    return line.find(name) == nullptr
               ? 0
               : read(line, name, [](Scanner& scanner) { return scanner.integer(); });
  }

  std::string optional_name(const Description& line, const std::string& name) const {
    return line.find(name) == nullptr ? "" : tra::read_name_parameter(source_, line, name);
  }

  double optional_number(const Description& line, const std::string& name) const {
    if (line.find(name) == nullptr) {
      return 0;
    }
    return read(line, name, [](Scanner& scanner) {
      const bool negative = scanner.accept("-");
      const std::optional<Literal> literal = scanner.accept_literal(negative);
      if (!literal) {
        scanner.fail_expected("a number");
      }
      return literal_as<double>(*literal);
    });
  }

  /// Reads "t2", "t2[0:8;0:64]" or "t2[0:8;0:64]@[0;0]".
  Argument read_argument(Scanner& scanner) const {
    const int64_t begin = scanner.position();
    scanner.expect("t");
    const TileId tile(number_in(scanner));
    if (tile.index() >= graph_.tiles.size()) {
      scanner.fail(scanner.since(begin), "there is no such tile before this");
    }
    const DenseTile* array = dense_tile(graph_.at(tile).type);
    if (array == nullptr) {
      if (scanner.looking_at("[")) {
        scanner.fail(scanner.since(begin), "this tile is rows, which have no parts");
      }
      return {tile, nullptr};
    }
    Part part{array->box, {}};
    if (scanner.looking_at("[")) {
      part.box = read_box(scanner, ";");
    }
    part.origin = part.box.origin;
    if (scanner.accept("@")) {
      part.origin.clear();
      read_list(scanner, "[", ";", "]", [&] { part.origin.push_back(scanner.integer()); });
    }
    return graph_.part_of_tile(tile, std::move(part));
  }

  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  expr::MonoidScope monoids_;
  bool has_places_ = false;  // the text names its spaces and sites
  std::string last_comment_;
  Shared<Origin> last_origin_;
  TaskGraph graph_;
};

}  // namespace

TaskGraph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                      const expr::AggregateRegistry& aggregates) {
  TaskGraph graph = PlanReader(source, functions, aggregates).run();
  refuse_untyped_rows(graph);
  ir::refuse_problems(source, verify(graph, functions));
  ir::refuse_problems(source, verify_order(graph, aggregates));
  return graph;
}

}  // namespace tessera::plan
