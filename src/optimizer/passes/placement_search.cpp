#include <algorithm>

#include <fmt/format.h>

#include "base/byte_size.h"
#include "optimizer/ia/communication.h"
#include "optimizer/passes.h"
#include "optimizer/rewrite/search.h"

namespace tessera::optimizer {

namespace {

using rewrite::Rewriting;
using rewrite::SearchBounds;
using rewrite::SearchResult;

/// Every rewrite that is tried copies the graph, so that their number is bounded by that of all
/// nodes they have: a second of work.
constexpr int64_t kMostNodes = 100'000;
constexpr int64_t kMostSteps = 1000;
constexpr int64_t kFewestSteps = 50;
/// Graphs that are kept take memory for all their nodes, about 2 KB each.
constexpr int64_t kMostOpenNodes = 20'000;
constexpr int64_t kMostOpen = 256;
constexpr int64_t kFewestOpen = 8;

SearchBounds bounds_for(const ia::Graph& graph) {
  const auto nodes = static_cast<int64_t>(graph.nodes.size()) + 1;
  return {std::clamp(kMostNodes / nodes, kFewestSteps, kMostSteps),
          static_cast<size_t>(std::clamp(kMostOpenNodes / nodes, kFewestOpen, kMostOpen))};
}

bool is_wanted(const ia::Graph& graph, const PassContext& context) {
  return graph.num_sites > 1 && !context.is_given;
}

std::string note_of(const CommunicationVolume& before, const CommunicationVolume& after,
                    const SearchResult& result) {
  return fmt::format("placement_search: {} move between sites, {} before; {} rewrites tried{}",
                     byte_size_text(static_cast<int64_t>(after.moved_bytes)),
                     byte_size_text(static_cast<int64_t>(before.moved_bytes)), result.num_steps,
                     result.is_bounded ? ", which is its bound" : "");
}

void run(Rewriting<ia::Graph>& rewriting, const PassContext& context) {
  Communication communication;
  const CommunicationVolume before = communication.of(rewriting.graph());
  rewrite::Search<ia::Graph> search(
      context.placement_rules, context.disabled, context.known,
      [&](const ia::Graph& graph) { return communication.of(graph).total(); },
      bounds_for(rewriting.graph()));
  const SearchResult result = search.run(rewriting);
  rewriting.report().applications["placement_search"] = result.cost < result.first_cost ? 1 : 0;
  rewriting.report().notes.push_back(note_of(before, communication.of(rewriting.graph()), result));
}

}  // namespace

void register_pass_placement_search(PassRegistry& registry) {
  registry.ia.add({.name = "placement_search",
                   .summary = "look for a placement on several sites that moves fewer bytes",
                   .is_wanted = &is_wanted,
                   .run = &run});
}

}  // namespace tessera::optimizer
