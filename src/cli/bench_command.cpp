#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/error.h"
#include "cli/options.h"
#include "cli/rates.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

/// Returns the bench beside this program, or in the tree that both were built in.
std::string bench_program() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& program :
       {folder / "tessera_bench", folder / "../../bench/limits/tessera_bench"}) {
    std::error_code ignored;
    if (fs::exists(program, ignored)) {
      return program.lexically_normal().string();
    }
  }
  throw_error(ErrorKind::user,
              "the bench is not here: it is compiled for the machine that it measures; 'make "
              "bench' in the source tree builds and starts it");
}

}  // namespace

void run_bench(const BenchOptions& options) {
  const std::string program = bench_program();
  std::vector<std::string> words = {program, "--turns", std::to_string(options.turns)};
  for (const auto& [option, value] :
       {std::pair("--workers", options.workers.empty()
                                   ? ""
                                   : fmt::format("{}", fmt::join(options.workers, ","))),
        {"--isa", options.isa},
        {"--rates", measured_machine(false).rates_measured.empty() ? "" : rates_path()},
        {"--json", options.json}}) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), options.names.begin(), options.names.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw_error(ErrorKind::resource, "cannot start {}: {}", program,
              std::generic_category().message(errno));
}

}  // namespace tessera::cli
