#include "optimizer/partition/slicing/ways_to_slice.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "optimizer/partition/model/label_flow.h"
#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

namespace {

constexpr size_t kMostWays = 3;
/// The most labels that are sliced together.
constexpr size_t kMostSlices = 4;
/// A label is cut into twice as many pieces only if at most this part of the bytes remains.
constexpr double kWorthCutting = 0.75;

/// An intermediate that a statement reads or makes: its bytes and the flows of its modes.
struct LiveTensor {
  double bytes = 0;
  std::vector<std::pair<int32_t, int64_t>> modes;  // flow, -1 where none, and extent
};

/// Slices of flows: the number of pieces of each.
using Pieces = std::map<int32_t, int64_t>;

double bytes_of_slice(const LiveTensor& held, const Pieces& pieces) {
  double bytes = held.bytes;
  for (const auto& [flow, extent] : held.modes) {
    if (const auto found = pieces.find(flow); found != pieces.end()) {
      bytes /= static_cast<double>(std::clamp<int64_t>(extent, 1, found->second));
    }
  }
  return bytes;
}

/// The intermediates that every statement has to hold, and the flows of their labels.
class LiveTensors {
 public:
  explicit LiveTensors(const Model& model) : flow_(label_flow_of(model)) {
    std::set<int32_t> is_read;
    for (const StatementModel& statement : model.statements) {
      for (const Operand& operand : statement.operands) {
        is_read.insert(operand.producer);
      }
    }
    for (size_t number = 0; number < model.statements.size(); ++number) {
      const StatementModel& statement = model.statements[number];
      std::vector<LiveTensor> held;
      for (const Operand& operand : statement.operands) {
        if (operand.producer != kPreplaced) {
          held.push_back(read_by(operand, number));
        }
      }
      if (is_read.count(static_cast<int32_t>(number)) != 0) {
        held.push_back(made_by(statement, number));
      }
      note_places(statement, number);
      held_.push_back(std::move(held));
    }
  }

  struct Most {
    double bytes = 0;
    size_t statement = 0;
  };
  /// Finds the statement that holds the most, the first of several.
  Most most(const Pieces& pieces) const {
    Most most;
    for (size_t number = 0; number < held_.size(); ++number) {
      double bytes = 0;
      for (const LiveTensor& tensor : held_[number]) {
        bytes += bytes_of_slice(tensor, pieces);
      }
      if (bytes > most.bytes) {
        most = {bytes, number};
      }
    }
    return most;
  }

  /// Returns the flows of a statement's tensors that may be sliced.
  std::set<int32_t> flows_at(size_t statement) const {
    std::set<int32_t> flows;
    for (const LiveTensor& tensor : held_[statement]) {
      for (const auto& [flow, extent] : tensor.modes) {
        if (extents_.count(flow) != 0) {
          flows.insert(flow);
        }
      }
    }
    return flows;
  }

  int64_t extent_of(int32_t flow) const { return extents_.at(flow); }

  Slice slice_of(int32_t flow, int64_t pieces) const {
    Slice slice = places_.at(flow);
    slice.length = (extents_.at(flow) - 1) / pieces + 1;
    return slice;
  }

 private:
  LiveTensor read_by(const Operand& operand, size_t number) const {
    LiveTensor held{static_cast<double>(operand.element_bytes), {}};
    for (size_t mode = 0; mode < operand.labels.size(); ++mode) {
      held.bytes *= static_cast<double>(operand.shape[mode]);
      held.modes.emplace_back(
          operand.labels[mode] == kWholeMode
              ? -1
              : flow_.flow_of[number][static_cast<size_t>(operand.labels[mode])],
          operand.shape[mode]);
    }
    return held;
  }

  LiveTensor made_by(const StatementModel& statement, size_t number) const {
    LiveTensor held{static_cast<double>(statement.out_bytes), {}};
    for (const int32_t label : statement.out) {
      const auto place = static_cast<size_t>(label);
      held.bytes *= static_cast<double>(statement.extents[place]);
      held.modes.emplace_back(flow_.flow_of[number][place], statement.extents[place]);
    }
    return held;
  }

  void note_places(const StatementModel& statement, size_t number) {
    for (size_t label = 0; label < statement.extents.size(); ++label) {
      if (!statement.whole[label] && statement.extents[label] > 1) {
        const int32_t flow = flow_.flow_of[number][label];
        extents_.emplace(flow, statement.extents[label]);
        places_.emplace(flow, Slice{statement.vertex, static_cast<int32_t>(label), 1});
      }
    }
  }

  LabelFlow flow_;
  std::vector<std::vector<LiveTensor>> held_;  // by statement
  std::map<int32_t, int64_t> extents_;         // by flow
  std::map<int32_t, Slice> places_;            // by flow: where it occurs first
};

/// Returns the unsliced flows of the statement that holds the most, the best first: by the bytes
/// that remain when they are sliced as finely as possible. Flows that change nothing are left out.
std::vector<int32_t> flows_by_effect(const LiveTensors& live, const Pieces& pieces) {
  const LiveTensors::Most now = live.most(pieces);
  std::vector<std::pair<double, int32_t>> effects;
  if (now.bytes == 0) {
    return {};
  }
  for (const int32_t flow : live.flows_at(now.statement)) {
    if (pieces.count(flow) == 0) {
      Pieces more = pieces;
      more[flow] = live.extent_of(flow);
      const double left = live.most(more).bytes;
      if (left < now.bytes) {
        effects.emplace_back(left, flow);
      }
    }
  }
  std::sort(effects.begin(), effects.end());
  std::vector<int32_t> flows;
  for (const auto& [left, flow] : effects) {
    flows.push_back(flow);
  }
  return flows;
}

/// Cuts one more flow, into as few pieces as the bound requires, or as many as help much.
Pieces with_slices(const LiveTensors& live, Pieces pieces, int32_t flow, double most_bytes) {
  const int64_t extent = live.extent_of(flow);
  pieces[flow] = std::min<int64_t>(2, extent);
  double bytes = live.most(pieces).bytes;
  while (bytes > most_bytes && pieces[flow] < extent) {
    Pieces finer = pieces;
    finer[flow] = std::min(2 * pieces[flow], extent);
    const double left = live.most(finer).bytes;
    if (left > kWorthCutting * bytes) {
      break;
    }
    pieces = std::move(finer);
    bytes = left;
  }
  return pieces;
}

}  // namespace

std::vector<std::vector<Slice>> ways_to_slice(const einsum::Graph& graph, int64_t most_bytes) {
  const LiveTensors live(model_of(graph));
  const auto bound = static_cast<double>(most_bytes);
  std::vector<std::vector<Slice>> ways;
  for (const int32_t first : flows_by_effect(live, {})) {
    Pieces pieces = with_slices(live, {}, first, bound);
    while (live.most(pieces).bytes > bound && pieces.size() < kMostSlices) {
      const std::vector<int32_t> more = flows_by_effect(live, pieces);
      if (more.empty()) {
        break;
      }
      pieces = with_slices(live, std::move(pieces), more.front(), bound);
    }
    std::vector<Slice>& way = ways.emplace_back();
    for (const auto& [flow, count] : pieces) {
      way.push_back(live.slice_of(flow, count));
    }
    if (ways.size() == kMostWays) {
      break;
    }
  }
  return ways;
}

}  // namespace tessera::optimizer::partition
