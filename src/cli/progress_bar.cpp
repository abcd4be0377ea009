#include "cli/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace tessera::cli {

namespace {

constexpr double kPatienceSeconds = 1;
constexpr double kRedrawSeconds = 0.2;
constexpr int kWidth = 30;
constexpr std::string_view kWipeLine = "\r\033[K";

std::string duration_text(double seconds) {
  const int64_t whole = std::llround(seconds);
  return whole < 60     ? fmt::format("{} s", whole)
         : whole < 3600 ? fmt::format("{} min {} s", whole / 60, whole % 60)
                        : fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

ProgressBar::ProgressBar(const plan::TaskGraph& graph, int32_t process)
    : graph_(graph), process_(process) {
  for (const plan::TaskInfo& task : graph.tasks) {
    estimated_total_ += seconds_of(task);
  }
}

double ProgressBar::seconds_of(const plan::TaskInfo& task) const {
  return graph_.spaces[graph_.space_of(task).index()].process == process_ ? task.seconds : 0;
}

ProgressBar::~ProgressBar() {
  if (visible_) {
    fmt::print(stderr, "{}", kWipeLine);
  }
}

void ProgressBar::task_finished(plan::TaskId task, const runtime::TaskTiming&) {
  estimated_done_ += seconds_of(graph_.tasks[task.index()]);
  const Clock::time_point now = Clock::now();
  const double elapsed = seconds_between(start_, now);
  if (elapsed >= kPatienceSeconds && seconds_between(drawn_, now) >= kRedrawSeconds) {
    drawn_ = now;
    draw(elapsed);
  }
}

void ProgressBar::draw(double elapsed) {
  if (estimated_total_ <= 0 || estimated_done_ <= 0) {
    return;
  }
  const double share = std::min(1.0, estimated_done_ / estimated_total_);
  const double left = elapsed * (1 - share) / share;
  const auto filled = static_cast<size_t>(share * kWidth);
  visible_ = true;
  fmt::print(stderr, "{}[{:<{}}] {:3.0f} %, {} left", kWipeLine, std::string(filled, '#'), kWidth,
             100 * share, duration_text(left));
  std::fflush(stderr);
}

bool progress_is_visible() {
  const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace tessera::cli
