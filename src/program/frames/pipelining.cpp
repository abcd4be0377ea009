#include "program/frames/pipelining.h"

namespace tessera::program::frames {

void PipeliningHistory::add(Pair pair, Counts counts) {
  Counts& known = counts_[pair];
  known.seen += counts.seen;
  known.pipelined += counts.pipelined;
}

double PipeliningHistory::fraction(Pair pair) const {
  const auto found = counts_.find(pair);
  const Counts counts = found == counts_.end() ? Counts{} : found->second;
  return static_cast<double>(counts.pipelined + 1) / static_cast<double>(counts.seen + 2);
}

Beliefs::Beliefs(const OperatorGraph& graph, const PipeliningHistory& history)
    : graph_(&graph), history_(&history) {}

Beliefs Beliefs::equal(const OperatorGraph& graph) {
  return Beliefs(graph);
}

double Beliefs::of(size_t producer, size_t reader) const {
  if (history_ == nullptr) {
    return 1;
  }
  const OperatorKind kind = graph_->operators[reader].kind;
  const bool takes_all = kind == OperatorKind::select || kind == OperatorKind::aggregate;
  const double fraction =
      takes_all ? 1 : history_->fraction({graph_->operators[producer].kind, kind});
  return fraction / static_cast<double>(graph_->readers[producer].size());
}

}  // namespace tessera::program::frames
