#include "ir/ia/placement_of.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/ia/shared_sites.h"
#include "ir/tra/keys.h"
#include "ir/tra/part_lists.h"
#include "ir/tra/presence.h"

namespace tessera::ia {

namespace {

using KeySpace = std::vector<tra::KeyDim>;
using Sites = std::vector<int32_t>;

/// Returns the number of pieces of `fine` in every piece of `coarse`; nothing if they differ,
/// except a last one that has fewer. REQUIRES that `fine` refines `coarse`.
std::optional<int64_t> pieces_of_each(const ModeGrid& fine, const ModeGrid& coarse) {
  const auto first = std::lower_bound(fine.cuts.begin() + 1, fine.cuts.end(), coarse.cuts[1]);
  const int64_t pieces = first - fine.cuts.begin();
  if ((fine.num_pieces() + pieces - 1) / pieces != coarse.num_pieces()) {
    return std::nullopt;
  }
  for (int64_t piece = 0; piece < coarse.num_pieces(); ++piece) {
    if (fine.begin(piece * pieces) != coarse.begin(piece)) {
      return std::nullopt;
    }
  }
  return pieces;
}

/// Returns this number for dimensions of one label: 1 if they are equal.
std::optional<int64_t> pieces_of_each(const tra::KeyDim& fine, const tra::KeyDim& coarse) {
  if (fine == coarse) {
    return 1;
  }
  const ModeGrid* parts = tra::grid_of(fine);
  const ModeGrid* whole = tra::grid_of(coarse);
  return parts == nullptr || whole == nullptr ? std::nullopt : pieces_of_each(*parts, *whole);
}

OrRefusal<Placement> too_many(const KeySpace& key) {
  return Refusal{
      fmt::format("its tuples lie by no arithmetic on their keys, and {} keys are "
                  "more than a table of sites may have",
                  tra::num_keys(key))};
}

bool is_countable(const KeySpace& key) {
  return tra::num_keys(key) <= tra::kMostTuples;
}

/// Notes the site of a tuple among those that meet under a number. Returns false if they are apart.
bool note_site(Sites& sites, size_t number, int32_t site) {
  int32_t& known = sites[number];
  if (known == kNowhere) {
    known = site;
  }
  return site == kNowhere || known == site;
}

/// Returns the map for pieces, if every tuple has as many along the dimensions of the map.
std::optional<ByMap> refined(ByMap map, const KeySpace& coarse, const KeySpace& fine) {
  for (SiteTerm& term : map.terms) {
    const std::optional<int64_t> pieces =
        pieces_of_each(fine[static_cast<size_t>(tra::find_key_dim(fine, term.label))],
                       coarse[static_cast<size_t>(tra::find_key_dim(coarse, term.label))]);
    if (!pieces) {
      return std::nullopt;
    }
    term.block *= *pieces;
  }
  return map;
}

class Placing {
 public:
  Placing(const Graph& graph, const tra::RelationType& type) : graph_(graph), type_(type) {}

  OrRefusal<Placement> operator()(const Bcast&) const { return Placement(Everywhere{}); }
  OrRefusal<Placement> operator()(const Shuf& shuf) const {
    return graph_.num_sites == 1 ? Placement(Everywhere{}) : shuf.to;
  }

  OrRefusal<Placement> operator()(const LocalOp& local) const {
    if (const auto* repartition = std::get_if<tra::Repartition>(&local.op)) {
      const KeySpace& from = key_of(repartition->input);
      if (!tra::refines(type_.key, from) && !tra::refines(from, type_.key)) {
        return Refusal{"a local repartition either cuts tiles or pastes them"};
      }
    }
    bool is_everywhere = true;
    for (const NodeId input : tra::inputs_of(local.op)) {
      const Placement& placement = graph_.at(input).placement;
      if (is_undecided(placement)) {
        return Placement(Undecided{});
      }
      is_everywhere = is_everywhere && ia::is_everywhere(placement);
    }
    if (is_everywhere) {
      return local.at.value_or(Everywhere{});
    }
    return local.at || reads_copies(local.op) || tra::has_windows(type_.key)
               ? by_sites(local)
               : std::visit(*this, local.op);
  }

  // ---- one function per operator; some input is placed by a map or a table
  OrRefusal<Placement> operator()(const tra::Input& input) const {
    throw_error(ErrorKind::internal, "the placement of input {} comes with it", input.name);
  }
  OrRefusal<Placement> operator()(const tra::Filter& filter) const { return stays(filter.input); }
  OrRefusal<Placement> operator()(const tra::Transform& transform) const {
    return stays(transform.input);
  }
  OrRefusal<Placement> operator()(const tra::Aggregate& aggregate) const {
    return merged(aggregate.input);
  }
  OrRefusal<Placement> operator()(const tra::Concat& concat) const { return merged(concat.input); }
  OrRefusal<Placement> operator()(const tra::Tile& tile) const { return cut(tile.input); }
  OrRefusal<Placement> operator()(const tra::Repartition& repartition) const {
    const NodeId input = repartition.input;
    return tra::refines(type_.key, key_of(input)) ? cut(input) : merged(input);
  }
  /// Places tuples where all their merged tuples lie. If the scan walks, places them at its tiles,
  /// because the states pass from site to site.
  OrRefusal<Placement> operator()(const tra::Scan& scan) const {
    if (scan.walks()) {
      return (*this)(tra::steps_of(scan, type_.key));
    }
    const ByMap* map = map_of(placement_of_node(scan.input));
    const auto is_along = [&](const SiteTerm& term) { return term.label == scan.along; };
    const bool is_apart = map == nullptr || std::ranges::any_of(map->terms, is_along);
    return is_apart ? by_sites(LocalOp{scan}) : stays(scan.input);
  }

  /// Tuples that meet lie together if all inputs that are not everywhere lie alike.
  OrRefusal<Placement> operator()(const tra::Join& join) const {
    const std::vector<size_t> inputs = inputs_by_key(join);
    std::optional<ByMap> shared;
    bool is_shared = true;
    for (const size_t input : inputs) {
      const std::optional<ByMap> map = joined_map(join, input);
      is_shared = is_shared && map && (!shared || *shared == *map);
      shared = shared ? shared : map;
    }
    if (is_shared) {
      return Placement(*shared);
    }
    return is_countable(type_.key) ? joined_by_key(join, inputs, shared) : too_many(type_.key);
  }

  OrRefusal<Placement> operator()(const tra::Rekey& rekey) const {
    const ByMap* map = map_of(placement_of_node(rekey.input));
    const std::optional<ByMap> renamed = map == nullptr ? std::nullopt : rekeyed(*map, rekey);
    if (renamed) {
      return Placement(simplified(*renamed, type_.key, graph_.num_sites));
    }
    const KeySpace& from = key_of(rekey.input);
    if (!is_countable(from) || !is_countable(type_.key)) {
      return too_many(from);
    }
    return gathered(rekey.input, "rekey", tra::mapped_numbers(from, rekey.key, type_.key));
  }

 private:
  bool reads_copies(const tra::Op& op) const {
    const std::vector<NodeId> inputs = tra::inputs_of(op);
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](NodeId input) { return is_by_copies(placement_of_node(input)); });
  }

  OrRefusal<Placement> by_sites(const LocalOp& local) const {
    for (const NodeId input : tra::inputs_of(local.op)) {
      if (!is_countable(key_of(input))) {
        return too_many(key_of(input));
      }
    }
    return is_countable(type_.key) ? placement_by_sites(graph_, local, type_) : too_many(type_.key);
  }

  const KeySpace& key_of(NodeId id) const { return graph_.at(id).type.key; }
  const Placement& placement_of_node(NodeId id) const { return graph_.at(id).placement; }

  OrRefusal<Placement> stays(NodeId input) const { return placement_of_node(input); }

  // ---- joins

  static bool has_label(const KeySpace& key, const std::string& label) {
    return tra::find_key_dim(key, label) >= 0;
  }

  std::vector<size_t> inputs_by_key(const tra::Join& join) const {
    std::vector<size_t> inputs;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      if (!ia::is_everywhere(placement_of_node(join.inputs[input]))) {
        inputs.push_back(input);
      }
    }
    return inputs;
  }

  /// Returns the map of an input by the labels of the join; nothing if it is placed by a table.
  std::optional<ByMap> joined_map(const tra::Join& join, size_t input) const {
    const KeySpace& key = key_of(join.inputs[input]);
    const ByMap* by = map_of(placement_of_node(join.inputs[input]));
    if (by == nullptr) {
      return std::nullopt;
    }
    ByMap map = *by;
    for (SiteTerm& term : map.terms) {
      term.label = join.match[input][static_cast<size_t>(tra::find_key_dim(key, term.label))];
    }
    // A label that the result's key leaves out has one key, and no effect.
    return simplified(map, type_.key, graph_.num_sites);
  }

  /// Returns the site of an input's tuple for every key of the result.
  Sites joined_sites(const tra::Join& join, size_t input) const {
    if (const std::optional<ByMap> map = joined_map(join, input)) {
      return sites_of(*map, type_.key, graph_.num_sites);
    }
    const KeySpace& from = key_of(join.inputs[input]);
    const Sites old = sites_of(placement_of_node(join.inputs[input]), from, graph_.num_sites);
    Sites sites;
    for (const int64_t number :
         tra::matched_numbers(type_.key, tra::matched_dims(join, input), from)) {
      sites.push_back(old[static_cast<size_t>(number)]);
    }
    return sites;
  }

  OrRefusal<Placement> joined_by_key(const tra::Join& join, const std::vector<size_t>& inputs,
                                     const std::optional<ByMap>& map) const {
    Sites sites(static_cast<size_t>(tra::num_keys(type_.key)), kNowhere);
    for (const size_t input : inputs) {
      const Sites more = joined_sites(join, input);
      for (size_t number = 0; number < sites.size(); ++number) {
        if (!note_site(sites, number, more[number])) {
          return apart(number, type_.key, sites[number], more[number], "join");
        }
      }
    }
    return map ? Placement(*map) : Placement(ByTable{std::move(sites)});
  }

  static OrRefusal<Placement> apart(size_t number, const KeySpace& key, int32_t one, int32_t other,
                                    const char* what) {
    return Refusal{fmt::format("tuples to {} are apart: for key {} on sites {} and {}", what,
                               tra::to_string(tra::key_at(number, key), key), one, other)};
  }

  // ---- tuples that become one, and one that becomes several

  /// Places each tuple of the result at its parts: those that agree with its key in the remaining
  /// dimensions.
  OrRefusal<Placement> merged(NodeId input) const {
    const KeySpace& from = key_of(input);
    const ByMap* map = map_of(placement_of_node(input));
    const std::optional<ByMap> coarse =
        map == nullptr ? std::nullopt : coarsened(simplified(*map, from, graph_.num_sites), from);
    if (coarse) {
      return Placement(simplified(*coarse, type_.key, graph_.num_sites));
    }
    if (!is_countable(from) || !is_countable(type_.key)) {
      return too_many(from);
    }
    return gathered(input, "merge", tra::Coarsening(from, type_.key).numbers());
  }

  /// Places every key of the result where all tuples with that new key lie; their places are in the
  /// order of the input's keys. (If a rekey gives several tuples one key, a filter has left out all
  /// but one; which one is unknown here.)
  OrRefusal<Placement> gathered(NodeId input, const char* what,
                                const std::vector<int64_t>& new_numbers) const {
    const KeySpace& from = key_of(input);
    Sites sites(static_cast<size_t>(tra::num_keys(type_.key)), kNowhere);
    const Sites old = sites_of(placement_of_node(input), from, graph_.num_sites);
    for (size_t number = 0; number < old.size(); ++number) {
      const auto group = static_cast<size_t>(new_numbers[number]);
      if (old[number] != kNowhere && !note_site(sites, group, old[number])) {
        return apart(group, type_.key, sites[group], old[number], what);
      }
    }
    return Placement(ByTable{std::move(sites)});
  }

  std::optional<ByMap> coarsened(ByMap map, const KeySpace& from) const {
    for (SiteTerm& term : map.terms) {
      const int place = tra::find_key_dim(type_.key, term.label);
      if (place < 0) {
        return std::nullopt;
      }
      const std::optional<int64_t> pieces =
          pieces_of_each(from[static_cast<size_t>(tra::find_key_dim(from, term.label))],
                         type_.key[static_cast<size_t>(place)]);
      if (!pieces || term.block % *pieces != 0) {
        return std::nullopt;
      }
      term.block /= *pieces;
    }
    return map;
  }

  OrRefusal<Placement> cut(NodeId input) const {
    return placement_of_pieces(placement_of_node(input), key_of(input), type_.key,
                               graph_.num_sites);
  }

  // ---- new keys

  /// Returns the map by the new labels, if every old one that it names is unchanged among them.
  static std::optional<ByMap> rekeyed(ByMap map, const tra::Rekey& rekey) {
    for (SiteTerm& term : map.terms) {
      const auto kept = std::find_if(
          rekey.key.begin(), rekey.key.end(), [&](const tra::KeyExpression& expression) {
            return expression.offset == 0 &&
                   expression.terms == std::vector<tra::KeyExpression::Term>{{term.label, 1}};
          });
      if (kept == rekey.key.end()) {
        return std::nullopt;
      }
      term.label = kept->label;
    }
    return map;
  }

  const Graph& graph_;
  const tra::RelationType& type_;
};

/// Places every piece on all sites that have a window which it is part of; a piece in no window,
/// beside the one before it.
SiteSets sites_of_shared_pieces(const SiteSets& windows, const KeySpace& coarse,
                                const KeySpace& fine) {
  std::vector<std::vector<int32_t>> of_piece(static_cast<size_t>(tra::num_keys(fine)));
  const tra::PartLists parts = tra::PartLists::merged(fine, coarse);
  for (size_t window = 0; window < windows.num_keys(); ++window) {
    for (const int64_t piece : parts.of(window)) {
      std::vector<int32_t>& sites = of_piece[static_cast<size_t>(piece)];
      sites.insert(sites.end(), windows.of(window).begin(), windows.of(window).end());
    }
  }
  SiteSets sets;
  int32_t last = 0;
  for (std::vector<int32_t>& sites : of_piece) {
    if (sites.empty()) {
      sites.push_back(last);
    }
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    last = sites.front();
    sets.add(sites);
  }
  return sets;
}

}  // namespace

OrRefusal<Placement> placement_of_pieces(const Placement& placement,
                                         const std::vector<tra::KeyDim>& coarse,
                                         const std::vector<tra::KeyDim>& fine, int64_t num_sites) {
  if (is_everywhere(placement) || is_undecided(placement)) {
    return placement;
  }
  const ByMap* map = map_of(placement);
  if (const auto by_piece = map == nullptr ? std::nullopt : refined(*map, coarse, fine)) {
    return Placement(simplified(*by_piece, fine, num_sites));
  }
  if (!is_countable(fine)) {
    return too_many(fine);
  }
  const SiteSets whole = site_sets_of(placement, coarse, num_sites);
  if (tra::has_windows(coarse)) {
    return copied(sites_of_shared_pieces(whole, coarse, fine), num_sites);
  }
  SiteSets sites;
  for (const int64_t tuple : tra::Coarsening(fine, coarse).numbers()) {
    sites.add(whole.of(static_cast<size_t>(tuple)));
  }
  return copied(std::move(sites), num_sites);
}

OrRefusal<Placement> placement_of(const Graph& graph, const Op& op, const tra::RelationType& type) {
  return std::visit(Placing(graph, type), op);
}

}  // namespace tessera::ia
