#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"
#include "simulate/costs/placements.h"

namespace tessera::simulate {

namespace {

constexpr uint32_t kSeed = 1;
constexpr int64_t kMostTaskVisits = 600'000'000;  // of the estimate: a second or two
constexpr int64_t kMostStepsPerTask = 20'000;
constexpr int64_t kMostStepsOfSearch = 2'000'000;
/// Heats at the beginning of each round: the loss that a change may have, as a share of the
/// makespan.
constexpr std::array kFirstHeats = {0.01, 0.05};
constexpr double kLastHeat = 1e-5;

/// Schedules tasks in their own order, each on the site where it could end first if only the
/// costliest move of its inputs counted.
Schedule beside_costliest_input(const CostModel& model) {
  const std::vector<CostTask>& tasks = model.graph().tasks;
  Schedule schedule;
  schedule.sites.assign(tasks.size(), 0);
  schedule.order.resize(tasks.size());
  std::iota(schedule.order.begin(), schedule.order.end(), int64_t{0});
  std::vector<double> load(static_cast<size_t>(model.num_sites()), 0);
  for (size_t task = 0; task < tasks.size(); ++task) {
    double best = 0;
    for (int32_t site = 0; site < model.num_sites(); ++site) {
      double cost = load[static_cast<size_t>(site)] + model.seconds(task, site);
      double costliest = 0;
      for (const int64_t input : tasks[task].inputs) {
        const auto before = static_cast<size_t>(input);
        costliest = std::max(costliest, model.move_seconds(before, schedule.sites[before], site));
      }
      cost += costliest;
      if (site == 0 || cost < best) {
        best = cost;
        schedule.sites[task] = site;
      }
    }
    const int32_t chosen = schedule.sites[task];
    load[static_cast<size_t>(chosen)] += model.seconds(task, chosen);
  }
  return schedule;
}

/// Annealing from one schedule.
class Annealing {
 public:
  Annealing(const CostModel& model, Schedule start, uint32_t seed)
      : model_(model),
        random_(seed),
        now_(std::move(start)),
        seconds_(estimated_makespan(model, now_)),
        best_(now_),
        best_seconds_(seconds_),
        place_(now_.order.size()),
        users_(now_.order.size()) {
    for (size_t number = 0; number < place_.size(); ++number) {
      place_[static_cast<size_t>(now_.order[number])] = number;
      for (const int64_t input : model.graph().tasks[number].inputs) {
        users_[static_cast<size_t>(input)].push_back(number);
      }
    }
  }

  /// Anneals from a heat, a share of the makespan, down to kLastHeat.
  void run(int64_t num_steps, double first_heat) {
    const double cooling = std::pow(kLastHeat / first_heat, 1.0 / static_cast<double>(num_steps));
    double heat = first_heat * seconds_;
    for (int64_t step = 0; step < num_steps; ++step, heat *= cooling) {
      if (random_() % 2 == 0) {
        try_site(heat);
      } else {
        try_place(heat);
      }
    }
  }

  const Schedule& best() const { return best_; }
  double best_seconds() const { return best_seconds_; }

 private:
  size_t drawn(size_t below) { return static_cast<size_t>(random_()) % below; }

  bool is_taken(double seconds, double heat) {
    const double worse = seconds - seconds_;
    const double chance = static_cast<double>(random_()) / static_cast<double>(random_.max());
    if (worse > 0 && chance >= std::exp(-worse / heat)) {
      return false;
    }
    seconds_ = seconds;
    if (seconds_ < best_seconds_) {
      best_seconds_ = seconds_;
      best_ = now_;
    }
    return true;
  }

  void try_site(double heat) {
    const size_t task = drawn(now_.sites.size());
    const int32_t before = now_.sites[task];
    now_.sites[task] = static_cast<int32_t>(drawn(static_cast<size_t>(model_.num_sites())));
    if (now_.sites[task] != before && !is_taken(estimated_makespan(model_, now_), heat)) {
      now_.sites[task] = before;
    }
  }

  /// Tries a place between its last input and its first user.
  void try_place(double heat) {
    const size_t task = drawn(now_.order.size());
    size_t first = 0;
    size_t last = now_.order.size() - 1;
    for (const int64_t input : model_.graph().tasks[task].inputs) {
      first = std::max(first, place_[static_cast<size_t>(input)] + 1);
    }
    for (const size_t user : users_[task]) {
      last = std::min(last, place_[user] - 1);
    }
    const size_t before = place_[task];
    const size_t after = first + drawn(last - first + 1);
    if (after == before) {
      return;
    }
    shift(before, after);
    if (!is_taken(estimated_makespan(model_, now_), heat)) {
      shift(after, before);
    }
  }

  void shift(size_t from, size_t to) {
    const auto at = [&](size_t place) {
      return now_.order.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (from < to) {
      std::rotate(at(from), at(from + 1), at(to + 1));
    } else {
      std::rotate(at(to), at(from), at(from + 1));
    }
    for (size_t place = std::min(from, to); place <= std::max(from, to); ++place) {
      place_[static_cast<size_t>(now_.order[place])] = place;
    }
  }

  const CostModel& model_;
  std::mt19937 random_;
  Schedule now_;
  double seconds_;
  Schedule best_;
  double best_seconds_;
  std::vector<size_t> place_;               // by task, in the order
  std::vector<std::vector<size_t>> users_;  // by task
};

}  // namespace

Schedule searched(const CostModel& model) {
  Schedule best = heft(model);
  double best_seconds = estimated_makespan(model, best);
  if (model.num_sites() == 1) {
    return best;
  }
  const auto num_tasks = static_cast<int64_t>(best.order.size());
  const std::vector<Schedule> starts = {best, beside_costliest_input(model)};
  const auto num_runs = static_cast<int64_t>(starts.size() * kFirstHeats.size());
  const int64_t num_steps = std::max<int64_t>(
      1,
      std::min({kMostStepsOfSearch, kMostStepsPerTask * num_tasks, kMostTaskVisits / num_tasks}) /
          num_runs);
  uint32_t seed = kSeed;
  for (const double heat : kFirstHeats) {
    for (const Schedule& start : starts) {
      Annealing annealing(model, start, seed++);
      annealing.run(num_steps, heat);
      if (annealing.best_seconds() < best_seconds) {
        best_seconds = annealing.best_seconds();
        best = annealing.best();
      }
    }
  }
  return best;
}

Schedule given(const CostModel& model) {
  Schedule schedule;
  for (const CostTask& task : model.graph().tasks) {
    TESSERA_USER_CHECK(task.site.has_value(), "the task {} has no site", task.name);
    TESSERA_USER_CHECK(*task.site < model.num_sites(),
                       "the task {} is on site {}, and there are {}", task.name, *task.site,
                       model.num_sites());
    schedule.sites.push_back(static_cast<int32_t>(*task.site));
    schedule.order.push_back(static_cast<int64_t>(schedule.order.size()));
  }
  return schedule;
}

}  // namespace tessera::simulate
