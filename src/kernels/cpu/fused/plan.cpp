#include "kernels/cpu/fused/plan.h"

#include <algorithm>
#include <optional>
#include <set>

#include "kernels/cpu/cost/calibration.h"
#include "kernels/gemm_labels.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// A result of a statement: from which statement to which it is needed, and the later result that
/// overwrites it in place, or -1.
struct Result {
  int statement = 0;
  DType dtype = DType::f32;
  int last_reader = 0;
  int overwritten_by = -1;
};

/// What is the same for every length of a band.
struct Outline {
  const expr::TileProgram& program;
  const CallShape& shape;
  int64_t band_bytes;
  std::vector<StatementPart> parts;
  BandLabels bands;
  std::vector<Result> results;
  std::vector<int> num_reading;  // by input: the statements run per band that read it

  int last() const { return static_cast<int>(parts.size()) - 1; }
  bool runs_per_band(int statement) const {
    return bands.runs_per_band[static_cast<size_t>(statement)];
  }
  const expr::TileStatement& statement(int number) const {
    return program.statements[static_cast<size_t>(number)];
  }
  bool is_band_label(LabelNumber label) const {
    return std::find(bands.labels.begin(), bands.labels.end(), label) != bands.labels.end();
  }
};

void note_readers(Outline& outline) {
  for (int number = 0; number <= outline.last(); ++number) {
    for (const int32_t operand : outline.parts[static_cast<size_t>(number)].operands) {
      if (operand >= outline.program.num_inputs) {
        outline.results[static_cast<size_t>(operand - outline.program.num_inputs)].last_reader =
            number;
      } else if (outline.runs_per_band(number)) {
        ++outline.num_reading[static_cast<size_t>(operand)];
      }
    }
  }
  for (Result& result : outline.results) {
    const bool is_kept = !outline.runs_per_band(result.statement);  // every band reads it again
    result.last_reader = is_kept ? outline.last() : std::max(result.last_reader, result.statement);
  }
}

/// Whether a statement reads an operand at exactly the elements it writes.
bool reads_in_place(const expr::TileStatement& statement, int32_t operand) {
  for (const expr::Scalar& body : statement.bodies) {
    for (const expr::Access* access : expr::accesses_of(body)) {
      for (size_t mode = 0; access->operand == operand && mode < access->index.size(); ++mode) {
        if (access->index.size() != statement.out.size() ||
            access->index[mode] != expr::plain(statement.out[mode])) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Lets element-wise statements overwrite what no later one reads.
void find_overwritten(Outline& outline) {
  for (size_t number = 0; number < outline.results.size(); ++number) {
    const Result& writer = outline.results[number];
    const expr::TileStatement& statement = outline.statement(writer.statement);
    for (size_t earlier = 0; earlier < number && !statement.reduce; ++earlier) {
      Result& read = outline.results[earlier];
      const auto operand = static_cast<int32_t>(earlier) + outline.program.num_inputs;
      const auto& operands = outline.parts[static_cast<size_t>(writer.statement)].operands;
      const bool is_read = std::find(operands.begin(), operands.end(), operand) != operands.end();
      if (is_read && read.overwritten_by < 0 && read.last_reader == writer.statement &&
          read.statement < writer.statement && read.dtype == writer.dtype &&
          outline.runs_per_band(read.statement) && outline.runs_per_band(writer.statement) &&
          outline.statement(read.statement).out == statement.out &&
          reads_in_place(statement, operand)) {
        read.overwritten_by = static_cast<int>(number);
        break;
      }
    }
  }
}

Outline outline_of(const expr::TileProgram& program, const CallShape& shape, int64_t band_bytes,
                   const std::vector<StatementPart>& parts, const BandLabels& bands) {
  Outline outline{program, shape, band_bytes, parts, bands, {}, {}};
  outline.num_reading.resize(static_cast<size_t>(program.num_inputs), 0);
  for (int number = 0; number <= outline.last(); ++number) {
    for (const expr::Scalar& body : outline.statement(number).bodies) {
      outline.results.push_back({number, body.dtype(), 0, -1});
    }
  }
  note_readers(outline);
  find_overwritten(outline);
  return outline;
}

// ---- sizes for given lengths

using Lengths = std::vector<int64_t>;

int64_t length_of(const Outline& outline, const Lengths& lengths, LabelNumber label,
                  bool per_band) {
  return per_band ? lengths[static_cast<size_t>(label)]
                  : outline.shape.ranges[static_cast<size_t>(label)].length;
}

int64_t bytes_of(const Outline& outline, const Lengths& lengths, const Result& result) {
  int64_t bytes = size_of(result.dtype);
  for (const LabelNumber label : outline.statement(result.statement).out) {
    bytes *= length_of(outline, lengths, label, outline.runs_per_band(result.statement));
  }
  return bytes;
}

int64_t bytes_of(const Outline& outline, const Lengths& lengths, const expr::Access& access,
                 DType dtype, bool per_band) {
  int64_t bytes = size_of(dtype);
  for (const expr::AffineIndex& index : access.index) {
    bytes *= index.terms.empty() ? 1 : length_of(outline, lengths, index.terms[0].label, per_band);
  }
  return bytes;
}

template <class Predicate>
bool reads_by(const expr::Access& access, Predicate is_wanted) {
  return std::any_of(access.index.begin(), access.index.end(), [&](const auto& index) {
    return !index.terms.empty() && is_wanted(index.terms[0].label);
  });
}

/// Whether a band reads only a part of an operand.
bool is_read_in_bands(const Outline& outline, const expr::Access& access) {
  return reads_by(access, [&](LabelNumber label) { return outline.is_band_label(label); });
}

/// Whether the next band reads another part of an operand: it has the label that moves fastest.
bool moves_on(const Outline& outline, const Lengths& lengths, const expr::Access& access) {
  for (size_t at = outline.bands.labels.size(); at-- > 0;) {
    const LabelNumber label = outline.bands.labels[at];
    const auto number = static_cast<size_t>(label);
    if (lengths[number] < outline.shape.ranges[number].length) {
      return reads_by(access, [&](LabelNumber read) { return read == label; });
    }
  }
  return false;
}

/// Calls `visit(statement, access, dtype)` for every operand of every statement run per band, once.
template <class Visit>
void for_reads_of_bands(const Outline& outline, Visit visit) {
  for (int number = 0; number <= outline.last(); ++number) {
    std::set<int32_t> seen;
    for (const expr::Scalar& body : outline.statement(number).bodies) {
      for (const expr::Node& node : body.nodes) {
        const auto* access = std::get_if<expr::Access>(&node.op);
        if (access != nullptr && outline.runs_per_band(number) &&
            seen.insert(access->operand).second) {
          visit(number, *access, node.dtype);
        }
      }
    }
  }
}

/// What should stay in the cache while a band runs: its results, and the inputs that several
/// statements read.
int64_t working_bytes(const Outline& outline, const Lengths& lengths) {
  std::vector<int64_t> alive(outline.parts.size(), 0);
  for (const Result& result : outline.results) {
    const int end = result.overwritten_by >= 0
                        ? outline.results[static_cast<size_t>(result.overwritten_by)].statement - 1
                        : result.last_reader;
    const bool goes_straight_out = result.statement == outline.last();
    for (int at = result.statement;
         !goes_straight_out && outline.runs_per_band(result.statement) && at <= end; ++at) {
      alive[static_cast<size_t>(at)] += bytes_of(outline, lengths, result);
    }
  }
  int64_t bytes = *std::max_element(alive.begin(), alive.end());
  std::set<int32_t> seen;
  for_reads_of_bands(outline, [&](int, const expr::Access& access, DType dtype) {
    if (access.operand < outline.program.num_inputs && is_read_in_bands(outline, access) &&
        outline.num_reading[static_cast<size_t>(access.operand)] > 1 &&
        seen.insert(access.operand).second) {
      bytes += bytes_of(outline, lengths, access, dtype, true);
    }
  });
  return bytes;
}

// ---- lengths

/// Equal parts of at most `most`, rounded up to whole register tiles where that is little.
int64_t even_part(int64_t length, int64_t most) {
  const int64_t num_parts = (length + most - 1) / most;
  const int64_t part = (length + num_parts - 1) / num_parts;
  return part >= 32 ? std::min(length, (part + 15) / 16 * 16) : part;
}

/// Bands that grow along the labels in this order, each whole before the next, within band_bytes.
Lengths grown(const Outline& outline, const std::vector<LabelNumber>& order) {
  Lengths lengths;
  for (const LabelRange& range : outline.shape.ranges) {
    lengths.push_back(range.length);
  }
  for (const LabelNumber label : order) {
    int64_t& length = lengths[static_cast<size_t>(label)];
    length = std::min<int64_t>(length, 1);
  }
  for (const LabelNumber label : order) {
    const int64_t whole = outline.shape.ranges[static_cast<size_t>(label)].length;
    const int64_t unit = std::max<int64_t>(1, working_bytes(outline, lengths));
    const int64_t most = std::max<int64_t>(1, outline.band_bytes / unit);
    lengths[static_cast<size_t>(label)] = whole <= most ? whole : even_part(whole, most);
    if (whole > most) {
      break;
    }
  }
  return lengths;
}

/// Different ways to grow: one of the innermost labels first, then from the innermost outwards.
std::vector<Lengths> candidate_lengths(const Outline& outline) {
  constexpr size_t kMostFirst = 4;
  const std::vector<LabelNumber> inwards(outline.bands.labels.rbegin(),
                                         outline.bands.labels.rend());
  std::vector<Lengths> candidates = {grown(outline, inwards)};
  for (size_t first = 1; first < std::min(inwards.size(), kMostFirst); ++first) {
    std::vector<LabelNumber> order = inwards;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first),
                order.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    Lengths lengths = grown(outline, order);
    if (std::find(candidates.begin(), candidates.end(), lengths) == candidates.end()) {
      candidates.push_back(std::move(lengths));
    }
  }
  return candidates;
}

/// Whether the elements of every band lie one after the other in the dense output.
bool is_dense_in_output(const Outline& outline, const Lengths& lengths) {
  bool is_inside = false;
  for (const LabelNumber label : outline.statement(outline.last()).out) {
    const int64_t length = lengths[static_cast<size_t>(label)];
    if (is_inside && length != outline.shape.ranges[static_cast<size_t>(label)].length) {
      return false;
    }
    is_inside = is_inside || length > 1;
  }
  return true;
}

// ---- cost

std::vector<LabelRange> ranges_of(const Outline& outline, const Lengths& lengths, bool per_band) {
  std::vector<LabelRange> ranges = outline.shape.ranges;
  for (size_t label = 0; label < ranges.size() && per_band; ++label) {
    ranges[label].length = lengths[label];
  }
  return ranges;
}

double num_bands(const Outline& outline, const Lengths& lengths) {
  double bands = 1;
  for (const LabelNumber label : outline.bands.labels) {
    const auto number = static_cast<size_t>(label);
    if (lengths[number] > 0) {
      bands *= static_cast<double>(outline.shape.ranges[number].length) /
               static_cast<double>(lengths[number]);
    }
  }
  return bands;
}

/// Of one run of a statement: bytes that lie in the cache, and bytes that every band loads again.
struct Traffic {
  double cached = 0;
  double reloaded = 0;
};

std::vector<Traffic> traffic_of(const Outline& outline, const Lengths& lengths) {
  std::vector<Traffic> traffic(outline.parts.size());
  std::set<int32_t> loaded;
  for_reads_of_bands(outline, [&](int number, const expr::Access& access, DType dtype) {
    const int maker = statement_of(outline.parts, access.operand);
    const bool is_handed_on = maker >= 0 && outline.runs_per_band(maker);
    const bool is_moved = moves_on(outline, lengths, access);
    const bool is_read_again =
        is_read_in_bands(outline, access) && !loaded.insert(access.operand).second;
    const auto bytes = static_cast<double>(bytes_of(outline, lengths, access, dtype, true));
    Traffic& of = traffic[static_cast<size_t>(number)];
    of.cached += is_handed_on || is_read_again ? bytes : 0;
    of.reloaded += is_moved || is_handed_on || is_read_again ? 0 : bytes;
  });
  for (const Result& result : outline.results) {
    if (outline.runs_per_band(result.statement) && result.statement != outline.last()) {
      traffic[static_cast<size_t>(result.statement)].cached +=
          static_cast<double>(bytes_of(outline, lengths, result));
    }
  }
  return traffic;
}

/// What a statement takes of the time predicted for it alone when part of its bytes are cached. No
/// statement is faster than its products in a gemm.
double seconds_within_bands(const Cost& alone, const Traffic& traffic, bool is_product) {
  const double saved = traffic.cached / calibration::kBytesPerSecond;
  const double computing = alone.flops / calibration::kGemmFlopsPerSecondF32;
  return std::max(alone.seconds - saved, computing) +
         traffic.cached / calibration::kCachedBytesPerSecond +
         (is_product ? traffic.reloaded / calibration::kReloadedBytesPerSecond : 0);
}

Cost cost_of(const Outline& outline, const Lengths& lengths) {
  const double bands = num_bands(outline, lengths);
  const bool stays_cached = working_bytes(outline, lengths) <= 2 * outline.band_bytes;
  const std::vector<Traffic> traffic = traffic_of(outline, lengths);
  Cost cost{0, 0, calibration::kFusedCallSeconds};
  for (int number = 0; number <= outline.last(); ++number) {
    const StatementPart& part = outline.parts[static_cast<size_t>(number)];
    const bool per_band = outline.runs_per_band(number);
    const CallShape shape = shape_of_part(part, ranges_of(outline, lengths, per_band),
                                          outline.shape.accumulate && number == outline.last());
    const CallShape whole = shape_of_part(part, outline.shape.ranges, shape.accumulate);
    const Cost alone = kernel_within(part, whole, shape).cost(part.program, shape);
    const double times = per_band ? bands : 1;
    const Traffic& of = traffic[static_cast<size_t>(number)];
    const bool is_product = bands > 1 && read_as_gemm(part.program).labels.has_value();
    cost.flops += times * alone.flops;
    cost.bytes += times * std::max(0.0, alone.bytes - (stays_cached ? of.cached : 0));
    cost.seconds += times * (per_band && stays_cached ? seconds_within_bands(alone, of, is_product)
                                                      : alone.seconds);
  }
  return cost;
}

// ---- places

/// A place in the workspace and the statements during which it is taken.
struct Slot {
  int from;
  int to;
  int64_t offset;
  int64_t bytes;
};

/// The lowest offset at which nothing lies while the new slot is taken.
int64_t free_offset(const std::vector<Slot>& slots, int from, int to, int64_t bytes) {
  int64_t offset = 0;
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Slot& slot : slots) {
      const bool meets = from <= slot.to && slot.from <= to;
      if (meets && offset < slot.offset + slot.bytes && slot.offset < offset + bytes) {
        offset = slot.offset + slot.bytes;
        moved = true;
      }
    }
  }
  return offset;
}

/// Gives every result its place, the last ones first: what is overwritten lies where its successor
/// does.
void place_results(const Outline& outline, FusedPlan& plan) {
  const size_t num_results = outline.results.size();
  const size_t num_outputs = outline.statement(outline.last()).bodies.size();
  plan.places.resize(num_results);
  std::vector<Slot> slots;
  for (size_t number = num_results; number-- > 0;) {
    const Result& result = outline.results[number];
    const size_t first_output = num_results - num_outputs;
    if (result.overwritten_by >= 0) {
      plan.places[number] = plan.places[static_cast<size_t>(result.overwritten_by)];
      continue;
    }
    if (number >= first_output && plan.is_output_dense) {
      plan.places[number].output = static_cast<int>(number - first_output);
      continue;
    }
    int from = outline.runs_per_band(result.statement) ? result.statement : 0;
    for (size_t earlier = number; earlier-- > 0;) {
      int successor = static_cast<int>(earlier);
      while (outline.results[static_cast<size_t>(successor)].overwritten_by >= 0) {
        successor = outline.results[static_cast<size_t>(successor)].overwritten_by;
      }
      if (static_cast<size_t>(successor) == number) {
        from = outline.results[earlier].statement;
      }
    }
    const int64_t bytes = aligned_bytes(bytes_of(outline, plan.lengths, result));
    const int64_t offset = free_offset(slots, from, result.last_reader, bytes);
    plan.places[number].offset = offset;
    plan.result_bytes = std::max(plan.result_bytes, offset + bytes);
    slots.push_back({from, result.last_reader, offset, bytes});
  }
}

Registry registry_of_all() {
  Registry registry;
  register_all_kernels(registry);
  return registry;
}

}  // namespace

const Registry& statement_kernels() {
  static const Registry kernels = registry_of_all();
  return kernels;
}

const Kernel& kernel_within(const StatementPart& part, const CallShape& whole,
                            const CallShape& shape) {
  const Kernel& alone = statement_kernels().choose(part.program, whole);
  return alone.refuses(part.program, shape).empty()
             ? alone
             : statement_kernels().choose(part.program, shape);
}

FusedPlan plan_fused(const expr::TileProgram& program, const CallShape& shape, int64_t band_bytes) {
  const std::vector<StatementPart> parts = split_statements(program);
  FusedPlan plan;
  std::optional<Outline> best;
  for (const BandLabels& bands : band_label_choices(program, parts)) {
    const Outline outline = outline_of(program, shape, band_bytes, parts, bands);
    for (Lengths& lengths : candidate_lengths(outline)) {
      const Cost cost = cost_of(outline, lengths);
      if (!best || cost.seconds < plan.cost.seconds) {
        plan.lengths = std::move(lengths);
        plan.cost = cost;
        best.emplace(outline);
      }
    }
  }
  plan.parts = best->parts;
  plan.bands = best->bands;
  plan.is_output_dense = is_dense_in_output(*best, plan.lengths);
  place_results(*best, plan);
  return plan;
}

}  // namespace tessera::kernels
