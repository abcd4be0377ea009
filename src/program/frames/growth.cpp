#include "program/frames/growth.h"

namespace tessera::program::frames {

Growth::Growth(const OperatorGraph& graph, const Beliefs& beliefs,
               const std::vector<bool>& is_assigned)
    : graph_(graph),
      beliefs_(beliefs),
      is_assigned_(is_assigned),
      member_of_(graph.size(), 0),
      added_by_(graph.size(), 0) {}

bool Growth::begin(size_t start, size_t max) {
  ++growth_;
  max_ = max;
  members_.clear();
  cost_ = 0;
  additions_.clear();
  by_cost_.clear();
  added_in_.clear();
  is_left_out_ = false;
  apart_ = 0;
  const std::optional<Addition> addition = addition_of(start);
  if (addition) {
    take(*addition);
  }
  return addition.has_value();
}

bool Growth::grow() {
  std::optional<Addition> best = cheapest();
  if (!best && !is_left_out_) {
    best = next_apart();
  }
  if (best) {
    take(*best);
  }
  return best.has_value();
}

std::optional<Growth::Addition> Growth::addition_of(size_t wanted) {
  ++num_additions_;
  const size_t most = max_ - members_.size();
  Addition addition;
  std::vector<size_t> open{wanted};
  added_by_[wanted] = num_additions_;
  while (!open.empty()) {
    const size_t number = open.back();
    open.pop_back();
    addition.operators.push_back(number);
    if (addition.operators.size() + open.size() > most) {
      return std::nullopt;
    }
    ++num_looks_;
    for (const size_t read : graph_.operators[number].reads) {
      ++num_looks_;
      if (member_of_[read] == growth_) {
        addition.cost -= beliefs_.of(read, number);
      } else if (!is_assigned_[read] && added_by_[read] != num_additions_) {
        added_by_[read] = num_additions_;
        open.push_back(read);
      }
    }
  }
  for (const size_t number : addition.operators) {
    for (const size_t reader : graph_.readers[number]) {
      ++num_looks_;
      if (added_by_[reader] != num_additions_) {
        addition.cost += beliefs_.of(number, reader);
      }
    }
  }
  return addition;
}

void Growth::take(const Addition& addition) {
  const std::vector<size_t> operators = addition.operators;  // it may be one that is forgotten
  cost_ += addition.cost;
  for (const size_t number : operators) {
    member_of_[number] = growth_;
    members_.push_back(number);
  }
  std::set<size_t> readers;
  for (const size_t number : operators) {
    forget_additions_with(number);
    for (const size_t reader : graph_.readers[number]) {
      ++num_looks_;
      if (member_of_[reader] != growth_) {
        readers.insert(reader);
      }
    }
  }
  for (const size_t reader : std::set<size_t>(readers)) {
    const auto added_in = added_in_.find(reader);
    if (added_in != added_in_.end()) {
      readers.insert(added_in->second.begin(), added_in->second.end());
    }
  }
  for (const size_t reader : readers) {
    consider(reader);
  }
}

void Growth::consider(size_t reader) {
  const auto known = additions_.find(reader);
  if (known != additions_.end()) {
    by_cost_.erase({known->second.cost, reader});
    additions_.erase(known);
  }
  if (member_of_[reader] == growth_) {
    return;
  }
  std::optional<Addition> addition = addition_of(reader);
  if (!addition) {
    is_left_out_ = true;
    return;
  }
  for (const size_t number : addition->operators) {
    added_in_[number].push_back(reader);
  }
  by_cost_.insert({addition->cost, reader});
  additions_[reader] = std::move(*addition);
}

void Growth::forget_additions_with(size_t number) {
  const auto added_in = added_in_.extract(number);
  if (added_in.empty()) {
    return;
  }
  for (const size_t reader : std::set<size_t>(added_in.mapped().begin(), added_in.mapped().end())) {
    consider(reader);
  }
}

std::optional<Growth::Addition> Growth::cheapest() {
  while (!by_cost_.empty()) {
    const auto first = by_cost_.begin();
    const auto found = additions_.extract(first->second);
    by_cost_.erase(first);
    if (members_.size() + found.mapped().operators.size() <= max_) {
      return found.mapped();
    }
    is_left_out_ = true;
  }
  return std::nullopt;
}

std::optional<Growth::Addition> Growth::next_apart() {
  for (; apart_ < graph_.size(); ++apart_) {
    ++num_looks_;
    if (!is_assigned_[apart_] && member_of_[apart_] != growth_) {
      return addition_of(apart_);
    }
  }
  return std::nullopt;
}

}  // namespace tessera::program::frames
