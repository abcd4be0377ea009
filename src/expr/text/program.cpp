#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "expr/text/parts.h"

namespace tessera::expr {

namespace {

std::vector<const Scalar*> pointers_to(const std::vector<Scalar>& bodies) {
  std::vector<const Scalar*> pointers;
  for (const Scalar& body : bodies) {
    pointers.push_back(&body);
  }
  return pointers;
}

std::vector<const Scalar*> bodies_of(const TileProgram& program) {
  std::vector<const Scalar*> bodies;
  for (const TileStatement& statement : program.statements) {
    for (const Scalar& body : statement.bodies) {
      bodies.push_back(&body);
    }
  }
  return bodies;
}

/// Returns x0, x1, ... for the inputs.
std::vector<std::string> input_names(int32_t num_inputs) {
  std::vector<std::string> names;
  for (int32_t input = 0; input < num_inputs; ++input) {
    names.push_back(fmt::format("x{}", input));
  }
  return names;
}

/// Returns t0, t1, ... over the whole program; o, or o0, o1, ... for outputs.
std::vector<std::string> result_names(const TileStatement& statement, bool is_last,
                                      size_t num_results_before) {
  if (is_last && statement.bodies.size() == 1) {
    return {"o"};
  }
  std::vector<std::string> names;
  for (size_t result = 0; result < statement.bodies.size(); ++result) {
    names.push_back(is_last ? fmt::format("o{}", result)
                            : fmt::format("t{}", num_results_before + result));
  }
  return names;
}

StatementForm form_of(const TileStatement& statement, std::vector<std::string> results) {
  StatementForm form;
  form.results = std::move(results);
  form.out = statement.out;
  form.bodies = pointers_to(statement.bodies);
  std::visit(Overload{[](const Map&) {},
                      [&](const Reduce& reduce) {
                        form.aggregate = reduce.monoid.name;
                        form.over = reduce.over;
                        form.leaf = reduce.leaf;
                      },
                      [&](const Scan& scan) {
                        form.aggregate = scan.monoid.name;
                        form.over = {scan.along};
                        form.scan = ScanForm{scan.direction, scan.is_exclusive};
                      },
                      [&](const Whole& whole) {
                        form.over = whole.core;
                        form.is_whole = true;
                      }},
             statement.what);
  return form;
}

std::string statements_text(const TileProgram& program) {
  Names names{names_of(program.labels), input_names(program.num_inputs), {}};
  std::vector<std::string> texts;
  for (const TileStatement& statement : program.statements) {
    const bool is_last = &statement == &program.statements.back();
    const size_t before = names.operands.size() - static_cast<size_t>(program.num_inputs);
    const StatementForm form = form_of(statement, result_names(statement, is_last, before));
    texts.push_back(statement_text(form, names));
    names.operands.insert(names.operands.end(), form.results.begin(), form.results.end());
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// Returns the dtype that the program reads an input as; nothing if it does not read it.
std::optional<DType> input_dtype(const TileProgram& program, int32_t input) {
  std::optional<DType> found;
  for_each_access(program, [&](const Access& access, DType dtype) {
    found = found || access.operand != input ? found : dtype;
  });
  return found;
}

std::string inputs_text(const TileProgram& program) {
  std::vector<std::string> dtypes;
  for (int32_t input = 0; input < program.num_inputs; ++input) {
    const std::optional<DType> dtype = input_dtype(program, input);
    dtypes.emplace_back(dtype ? name_of(*dtype) : "_");
  }
  return fmt::format("({})", fmt::join(dtypes, ","));
}

std::vector<Shape> shapes_of(const std::vector<ArrayType>& types) {
  std::vector<Shape> shapes;
  for (const ArrayType& type : types) {
    shapes.push_back(type.shape);
  }
  return shapes;
}

bool follows_from(const TileProgram& program, const std::vector<ArrayType>& inputs) {
  if (static_cast<size_t>(program.num_inputs) != inputs.size()) {
    return false;
  }
  for (int32_t input = 0; input < program.num_inputs; ++input) {
    const std::optional<DType> dtype = input_dtype(program, input);
    if (dtype && *dtype != inputs[static_cast<size_t>(input)].dtype) {
      return false;
    }
  }
  std::vector<std::vector<LabelNumber>> named;
  for (const TileStatement& statement : program.statements) {
    named.push_back(statement.out);
    named.push_back(reduced_labels(statement));
  }
  const size_t count = program.labels.size();
  const std::vector<int64_t> extents = plain_extents(count, bodies_of(program), shapes_of(inputs));
  return numbered_as_named(count, named) &&
         std::equal(extents.begin(), extents.end(), program.labels.begin(),
                    [](int64_t extent, const LabelDecl& decl) { return extent == decl.extent; });
}

/// Reads "(f32,f32)"; an input that is never read may have any dtype.
std::vector<DType> read_inputs(Scanner& scanner) {
  std::vector<DType> dtypes;
  scanner.expect("(");
  while (!scanner.accept(")")) {
    if (!dtypes.empty()) {
      scanner.expect(",");
    }
    dtypes.push_back(scanner.accept_word("_") ? DType::f32 : scanner.dtype());
  }
  return dtypes;
}

/// True at "(f32, ..." or "()", and not at the results of a statement.
bool looking_at_inputs(Scanner ahead) {
  if (!ahead.accept("(")) {
    return false;
  }
  return ahead.accept(")") ? !ahead.looking_at("[")
                           : ahead.looking_at_name() &&
                                 (ahead.looking_at("_") || parse_dtype(ahead.name()).has_value());
}

class ProgramReader {
 public:
  ProgramReader(Scanner& scanner, const MonoidScope& monoids, const FunctionRegistry& functions)
      : scanner_(scanner), monoids_(monoids), functions_(functions) {}

  TileProgram run(const std::vector<ArrayType>& inputs) {
    const int64_t begin = scanner_.position();
    const bool has_labels = scanner_.looking_at("[");
    if (has_labels) {
      program_.labels = read_labels(scanner_);
      leaves_.names.labels = names_of(program_.labels);
    }
    if (looking_at_inputs(scanner_)) {
      leaves_.operands = read_inputs(scanner_);
    } else {
      std::transform(inputs.begin(), inputs.end(), std::back_inserter(leaves_.operands),
                     [](const ArrayType& type) { return type.dtype; });
    }
    program_.num_inputs = static_cast<int32_t>(leaves_.operands.size());
    leaves_.names.operands = input_names(program_.num_inputs);
    do {
      read_one(has_labels);
    } while (scanner_.accept(";"));
    if (!has_labels) {
      take_extents(inputs, begin);
    }
    return std::move(program_);
  }

 private:
  void read_one(bool fixed_labels) {
    ReadStatement read = read_statement(scanner_, leaves_, fixed_labels, functions_);
    TileStatement statement{read.out, std::move(read.bodies)};
    if (read.is_whole) {
      statement.what = Whole{read.over, labels_without(read.over, read.out)};
    } else if (read.scan) {
      statement.what = Scan{monoid_of(read, statement), read.over.front(), read.scan->direction,
                            read.scan->is_exclusive};
    } else if (!read.aggregate.empty()) {
      statement.what = Reduce{monoid_of(read, statement), read.over, read.leaf};
    }
    for (size_t result = 0; result < read.results.size(); ++result) {
      leaves_.names.operands.push_back(read.results[result]);
      leaves_.operands.push_back(statement.bodies[result].dtype());
    }
    program_.statements.push_back(std::move(statement));
  }

  Monoid monoid_of(const ReadStatement& read, const TileStatement& statement) const {
    if (statement.bodies.empty()) {
      scanner_.fail(read.aggregate_span, "there is nothing to merge");
    }
    try {
      return monoids_.find(read.aggregate, statement.bodies[0].dtype());
    } catch (const Error& error) {
      scanner_.fail(read.aggregate_span, error.message());
    }
  }

  void take_extents(const std::vector<ArrayType>& inputs, int64_t begin) {
    const std::vector<std::string>& names = leaves_.names.labels;
    const std::vector<int64_t> extents =
        plain_extents(names.size(), bodies_of(program_), shapes_of(inputs));
    for (size_t label = 0; label < names.size(); ++label) {
      if (extents[label] < 0) {
        scanner_.fail(
            scanner_.since(begin),
            fmt::format("no array says how long label {} is", written_name(names[label])),
            fmt::format("write all labels first: [{}=8,...]", written_name(names[label])));
      }
      program_.labels.push_back({names[label], extents[label]});
    }
  }

  Scanner& scanner_;
  const MonoidScope& monoids_;
  const FunctionRegistry& functions_;
  Leaves leaves_;
  TileProgram program_;
};

}  // namespace

std::vector<std::string> names_of(const std::vector<LabelDecl>& labels) {
  std::vector<std::string> names;
  std::transform(labels.begin(), labels.end(), std::back_inserter(names),
                 [](const LabelDecl& label) { return label.name; });
  return names;
}

std::string labels_text(const std::vector<LabelDecl>& labels) {
  std::vector<std::string> texts;
  for (const LabelDecl& label : labels) {
    texts.push_back(fmt::format("{}={}", written_name(label.name), label.extent));
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::vector<LabelDecl> read_labels(Scanner& scanner) {
  std::vector<LabelDecl> labels;
  scanner.expect("[");
  while (!scanner.accept("]")) {
    if (!labels.empty()) {
      scanner.expect(",");
    }
    std::string name = scanner.name();
    scanner.expect("=");
    labels.push_back({std::move(name), scanner.integer()});
  }
  return labels;
}

bool numbered_as_named(size_t num_labels, const std::vector<std::vector<LabelNumber>>& named) {
  LabelNumber next = 0;
  for (const std::vector<LabelNumber>& labels : named) {
    for (const LabelNumber label : labels) {
      if (label > next) {
        return false;
      }
      next += label == next ? 1 : 0;
    }
  }
  return static_cast<size_t>(next) == num_labels;
}

std::vector<int64_t> plain_extents(size_t num_labels, const std::vector<const Scalar*>& bodies,
                                   const std::vector<Shape>& operands) {
  std::vector<int64_t> extents(num_labels, -1);
  for (const Scalar* body : bodies) {
    for (const Access* access : accesses_of(*body)) {
      const size_t operand = static_cast<size_t>(access->operand);
      for (size_t mode = 0; operand < operands.size() && mode < access->index.size() &&
                            mode < operands[operand].size();
           ++mode) {
        const std::optional<LabelNumber> plain = plain_label(access->index[mode]);
        const size_t label = plain ? static_cast<size_t>(*plain) : num_labels;
        if (label < num_labels && extents[label] < 0) {
          extents[label] = operands[operand][mode];
        }
      }
    }
  }
  return extents;
}

std::string to_text(const TileProgram& program) {
  return fmt::format("{} {} {}", labels_text(program.labels), inputs_text(program),
                     statements_text(program));
}

std::string to_text(const TileProgram& program, const std::vector<ArrayType>& inputs) {
  return follows_from(program, inputs) ? statements_text(program) : to_text(program);
}

TileProgram read_program(Scanner& scanner, const std::vector<ArrayType>& inputs,
                         const MonoidScope& monoids, const FunctionRegistry& functions) {
  return ProgramReader(scanner, monoids, functions).run(inputs);
}

TileProgram parse_program(const SourceText& source, const std::vector<ArrayType>& inputs,
                          const MonoidScope& monoids, const FunctionRegistry& functions) {
  Scanner scanner(source);
  TileProgram program = read_program(scanner, inputs, monoids, functions);
  scanner.expect_end();
  return program;
}

}  // namespace tessera::expr
