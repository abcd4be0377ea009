#include "plans/runner/drawn_program.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

namespace tessera::plans {

namespace {

/// Twice two labels of one extent, so that tensors can be read under other names and on diagonals.
const std::vector<std::pair<std::string, int64_t>> kLabels = {{"i", 5}, {"p", 5}, {"j", 4},
                                                              {"q", 4}, {"k", 6}, {"l", 3}};

struct Drawn {
  std::string name;
  std::vector<int64_t> shape;
  double bound = 2;  // of the magnitude of its elements
};

class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {
    constexpr DType kTypes[] = {DType::f64, DType::f64, DType::f32, DType::i64};
    dtype_ = kTypes[number_between(0, 3)];
  }

  Case run(uint64_t seed) && {
    Case made;
    made.file = "drawn";
    made.name = fmt::format("seed {}", seed);
    made.settings = default_settings();
    std::string text = "input";
    for (int64_t number = 0; number < 3; ++number) {
      std::vector<std::string> labels = some_labels(1, 3);
      Drawn tensor{fmt::format("A{}", number), shape_of(labels), 2};
      text += fmt::format("{} {}[{}]", number == 0 ? "" : ",", tensor.name, fmt::join(labels, ","));
      made.inputs[tensor.name] = {{dtype_, tensor.shape}, "small"};
      tensors_.push_back(std::move(tensor));
    }
    text += "\n";
    std::vector<std::string> outputs;
    const int64_t num_statements = number_between(2, 6);
    for (int64_t number = 0; number < num_statements; ++number) {
      text += statement(fmt::format("S{}", number)) + "\n";
      outputs.push_back(tensors_.back().name);
    }
    // The last one, and now and then one that others read too.
    const std::string other = outputs[static_cast<size_t>(number_between(0, num_statements - 1))];
    text += "output " + outputs.back() + (other == outputs.back() ? "" : ", " + other) + "\n";
    made.source = engine::Program{{"program", text}};
    return made;
  }

 private:
  int64_t number_between(int64_t lowest, int64_t highest) {
    return lowest + static_cast<int64_t>(random_() % static_cast<uint64_t>(highest - lowest + 1));
  }

  std::vector<std::string> some_labels(int64_t least, int64_t most) {
    std::vector<std::string> labels;
    labels.reserve(kLabels.size());
    for (const auto& [label, extent] : kLabels) {
      labels.push_back(label);
    }
    std::shuffle(labels.begin(), labels.end(), random_);
    labels.resize(static_cast<size_t>(number_between(least, most)));
    return labels;
  }

  static int64_t extent_of(const std::string& label) {
    return std::find_if(kLabels.begin(), kLabels.end(),
                        [&](const auto& each) { return each.first == label; })
        ->second;
  }

  static std::vector<int64_t> shape_of(const std::vector<std::string>& labels) {
    std::vector<int64_t> shape;
    shape.reserve(labels.size());
    for (const std::string& label : labels) {
      shape.push_back(extent_of(label));
    }
    return shape;
  }

  /// A tensor read at labels that have its extents; the same label twice is a diagonal.
  std::string access(const Drawn& tensor, std::vector<std::string>& used) {
    std::vector<std::string> labels;
    for (const int64_t extent : tensor.shape) {
      std::vector<std::string> fitting;
      for (const auto& [label, length] : kLabels) {
        if (length == extent) {
          fitting.push_back(label);
        }
      }
      labels.push_back(fitting[static_cast<size_t>(
          number_between(0, static_cast<int64_t>(fitting.size()) - 1))]);
      if (std::find(used.begin(), used.end(), labels.back()) == used.end()) {
        used.push_back(labels.back());
      }
    }
    return labels.empty() ? tensor.name
                          : fmt::format("{}[{}]", tensor.name, fmt::join(labels, ","));
  }

  const Drawn& any_tensor() {
    // Rather late ones, so that statements form chains.
    const auto last = static_cast<int64_t>(tensors_.size()) - 1;
    return tensors_[static_cast<size_t>(
        std::max(number_between(0, last), number_between(0, last)))];
  }

  std::string statement(const std::string& name) {
    std::vector<std::string> used;
    const Drawn& left = any_tensor();
    const Drawn& right = any_tensor();
    double bound = 0;
    std::string body;
    const int64_t shape = number_between(0, 5);
    const std::string read = access(left, used);
    if (shape <= 1) {
      body = read + " * " + access(right, used);
      bound = left.bound * right.bound;
    } else if (shape <= 3) {
      constexpr const char* kForms[] = {"{} + {}", "{} - {}", "maximum({}, {})", "minimum({}, {})"};
      const char* form = kForms[number_between(0, 3)];
      body = fmt::format(fmt::runtime(form), read, access(right, used));
      bound = left.bound + right.bound;
    } else if (shape == 4 || left.shape.empty()) {
      body = fmt::format("abs({})", read);
      bound = left.bound;
    } else {
      const int64_t end = number_between(1, 4);
      body = fmt::format("where(index({}) < {}, {}, {})", used.front(), end, read,
                         number_between(-1, 1));
      bound = left.bound + 1;
    }
    return finished(name, std::move(body), std::move(used), bound);
  }

  /// Keeps some of the labels and reduces the others.
  std::string finished(const std::string& name, std::string body, std::vector<std::string> used,
                       double bound) {
    std::shuffle(used.begin(), used.end(), random_);
    const auto num_kept = static_cast<size_t>(
        number_between(used.size() > 3 ? 1 : 0, std::min<int64_t>(3, std::ssize(used))));
    const std::vector<std::string> kept(used.begin(), used.begin() + std::ptrdiff_t(num_kept));
    const std::vector<std::string> over(used.begin() + std::ptrdiff_t(num_kept), used.end());
    if (!over.empty()) {
      constexpr const char* kAggregates[] = {"sum", "sum", "sum", "max", "min", "argmax"};
      const std::string aggregate = kAggregates[number_between(0, 5)];
      body = fmt::format("{}[{}] ({})", aggregate, fmt::join(over, ","), body);
      if (aggregate != "max" && aggregate != "min") {
        for (const std::string& label : over) {
          bound *= static_cast<double>(extent_of(label));
        }
      }
    }
    if (bound > 1e4) {
      body = fmt::format("minimum(maximum({}, -3), 3)", body);
      bound = 3;
    }
    tensors_.push_back({name, shape_of(kept), bound});
    return kept.empty() ? fmt::format("{} = {}", name, body)
                        : fmt::format("{}[{}] = {}", name, fmt::join(kept, ","), body);
  }

  std::mt19937_64 random_;
  DType dtype_ = DType::f64;  // of the inputs
  std::vector<Drawn> tensors_;
};

}  // namespace

Case drawn_program(uint64_t seed) {
  return Drawing(seed).run(seed);
}

}  // namespace tessera::plans
