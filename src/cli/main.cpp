#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include <sys/resource.h>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/remedy_text.h"
#include "cli/report.h"
#include "cli/same_command.h"
#include "cli/standard_streams.h"
#include "net/join.h"

namespace tessera::cli {

namespace {

constexpr int kExitError = 1;

/// Reports an error; returns the exit code.
int reported(const Error& error) {
  report(error);
  return error.kind() == ErrorKind::interrupted ? Interrupt::exit_code() : kExitError;
}

/// Raises the limit of open files to the largest allowed: every input is a file that stays open,
/// and the default is meant for programs that cannot wait for many.
void allow_many_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);  // refused, it stays unchanged
  }
}

/// Tells the other processes that this one ends with an error. The first process reports an error
/// of all of them, and gets the time to find it too.
int failed(const Error& error, net::Link* link) {
  constexpr std::chrono::milliseconds kTimeOfFirst(300);
  if (link != nullptr) {
    if (link->process() != 0 && error.kind() != ErrorKind::interrupted) {
      std::this_thread::sleep_for(kTimeOfFirst);
    }
    link->fail(error.kind(), error.full_text(&remedy_text));
  }
  return reported(error);
}

int run(int argc, char** argv) {
  keep_closed_streams_closed();
  // A file that would exceed a limit then fails with an error that is reported, instead of ending
  // the process.
  std::signal(SIGXFSZ, SIG_IGN);
  allow_many_files();
  CommandLine line;
  std::unique_ptr<net::Link> link;
  try {
    link = net::join();
    for (CommonOptions* options : {&line.einsum.common, &line.program.common, &line.explain.common,
                                   &line.simulate.common, &line.sql.common}) {
      options->link = link.get();
    }
    line.calibrate.is_one_of_several = link != nullptr;
    if (link != nullptr && link->process() != 0) {
      be_silent();  // one process reports for all
    }
    if (link != nullptr) {
      check_same_command(*link, {argv + 1, argv + argc});
    }
    return run_command(line, argc, argv);
  } catch (const Error& error) {
    return failed(error, link.get());
  } catch (const std::bad_alloc&) {
    return failed(Error(ErrorKind::resource, "out of memory"), link.get());
  } catch (const std::system_error& error) {
    return failed(Error(ErrorKind::resource, "the system refuses: " + error.code().message()),
                  link.get());
  } catch (const std::exception& error) {
    return failed(Error(ErrorKind::internal, error.what()), link.get());
  }
}

}  // namespace

}  // namespace tessera::cli

int main(int argc, char** argv) {
  return tessera::cli::run(argc, argv);
}
