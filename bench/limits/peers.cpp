#include "peers.h"

#include <array>
#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::bench {

Peers::Peers(const std::string& script, int threads) {
  if (script.empty() || std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    return;
  }
  std::array<int, 2> questions{};
  std::array<int, 2> answers{};
  if (::pipe(questions.data()) != 0 || ::pipe(answers.data()) != 0) {
    throw_error(ErrorKind::resource, "there is no pipe to numpy");
  }
  std::signal(SIGPIPE, SIG_IGN);
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(questions[0], STDIN_FILENO);
    ::dup2(answers[1], STDOUT_FILENO);
    for (const int descriptor : {questions[0], questions[1], answers[0], answers[1]}) {
      ::close(descriptor);
    }
    const std::string number = std::to_string(threads);
    ::setenv("OPENBLAS_NUM_THREADS", number.c_str(), 1);
    ::setenv("OMP_NUM_THREADS", number.c_str(), 1);
    ::execl("/usr/bin/python3", "python3", script.c_str(), number.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(questions[0]);
  ::close(answers[1]);
  to_ = ::fdopen(questions[1], "w");
  from_ = ::fdopen(answers[0], "r");
}

Peers::~Peers() {
  if (to_ != nullptr) {
    std::fclose(to_);
    std::fclose(from_);
    ::waitpid(process_, nullptr, 0);
  }
}

void Peers::prepare(const Row& row) {
  nlohmann::json inputs = nlohmann::json::object();
  for (const Input& input : row.inputs) {
    inputs[input.name] = {numpy_name(input.type.dtype), input.type.shape, input.low, input.high};
  }
  ask(nlohmann::json{{"inputs", inputs}, {"numpy", row.numpy}, {"torch", row.torch}}.dump());
}

std::map<std::string, double> Peers::turn() {
  const std::string answer = ask(R"({"turn": true})");
  std::map<std::string, double> seconds;
  if (!answer.empty()) {
    seconds = nlohmann::json::parse(answer).get<std::map<std::string, double>>();
  }
  return seconds;
}

/// What comes back; empty where there are no peers, or they have ended.
std::string Peers::ask(const std::string& line) {
  if (to_ == nullptr || std::fputs((line + "\n").c_str(), to_) < 0 || std::fflush(to_) != 0) {
    return "";
  }
  std::string answer;
  for (int byte = std::fgetc(from_); byte != EOF && byte != '\n'; byte = std::fgetc(from_)) {
    answer += static_cast<char>(byte);
  }
  return answer;
}

}  // namespace tessera::bench
