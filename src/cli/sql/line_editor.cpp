#include "cli/sql/line_editor.h"

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera::cli {

namespace {

constexpr int kMostRemembered = 2000;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Returns the longest common prefix of all words.
std::string common_begin(const std::vector<std::string>& words) {
  std::string begin = words.front();
  for (const std::string& word : words) {
    const auto [end, rest] = std::mismatch(begin.begin(), begin.end(), word.begin(), word.end());
    begin.erase(end, begin.end());
  }
  return begin;
}

size_t width_of_terminal() {
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

/// Formats words in columns, as a terminal lists them.
std::string columns_of(const std::vector<std::string>& words) {
  size_t width = 0;
  for (const std::string& word : words) {
    width = std::max(width, word.size() + 2);
  }
  const size_t num_columns = std::max<size_t>(1, width_of_terminal() / width);
  std::string text;
  for (size_t number = 0; number < words.size(); ++number) {
    const bool ends_line = (number + 1) % num_columns == 0 || number + 1 == words.size();
    text += ends_line ? words[number] + "\n" : fmt::format("{:<{}}", words[number], width);
  }
  return text;
}

}  // namespace

struct LineEditor::Parts {
  struct EndEditor {
    void operator()(EditLine* edited) const { el_end(edited); }
  };
  struct EndHistory {
    void operator()(History* entries) const { history_end(entries); }
  };
  using HistoryPtr = std::unique_ptr<History, EndHistory>;

  HistoryPtr remembered{history_init()};
  std::unique_ptr<EditLine, EndEditor> editor{el_init("tessera", stdin, stdout, stderr)};
  std::string history_file;
  Completer completer;
  std::string prompt;
  bool was_cancelled = false;

  static Parts& of(EditLine* editor) {
    void* parts = nullptr;
    el_get(editor, EL_CLIENTDATA, &parts);
    return *static_cast<Parts*>(parts);
  }

  static char* prompt_of(EditLine* editor) { return of(editor).prompt.data(); }

  static unsigned char cancel(EditLine* editor, int) {
    of(editor).was_cancelled = true;
    return CC_EOF;
  }

  /// Stops the process: libedit releases the terminal before, and takes it when the process
  /// continues.
  static unsigned char suspend(EditLine*, int) {
    std::raise(SIGTSTP);
    return CC_REDISPLAY;
  }

  static unsigned char complete(EditLine* editor, int) {
    const LineInfo* const line = el_line(editor);
    const std::string_view before(line->buffer, static_cast<size_t>(line->cursor - line->buffer));
    const Completions found = of(editor).completer(before);
    if (found.words.empty()) {
      return CC_ERROR;
    }
    const std::string begin =
        common_begin(found.words) + (found.words.size() == 1 ? found.ending : "");
    if (begin.size() > found.num_begun) {
      el_deletestr(editor, static_cast<int>(found.num_begun));
      el_insertstr(editor, begin.c_str());
      return CC_REFRESH;
    }
    std::fputs(("\n" + columns_of(found.words)).c_str(), stdout);
    return CC_REDISPLAY;
  }

  /// Sets up the keys of shells; Ctrl-C and Ctrl-Z are ordinary keys while a line is edited, so
  /// that no signal comes at a bad moment.
  void set_up() {
    EditLine* const edited = editor.get();
    el_set(edited, EL_CLIENTDATA, this);
    el_set(edited, EL_PROMPT, &Parts::prompt_of);
    el_set(edited, EL_EDITOR, "emacs");
    el_set(edited, EL_SIGNAL, 1);
    el_set(edited, EL_HIST, history, remembered.get());
    el_set(edited, EL_ADDFN, "tessera-complete", "complete the word", &Parts::complete);
    el_set(edited, EL_ADDFN, "tessera-cancel", "give the line up", &Parts::cancel);
    el_set(edited, EL_ADDFN, "tessera-suspend", "stop the process", &Parts::suspend);
    el_set(edited, EL_BIND, "^I", "tessera-complete", nullptr);
    el_set(edited, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(edited, nullptr);
    el_set(edited, EL_SETTY, "-d", "-isig", nullptr);
    el_set(edited, EL_BIND, "^C", "tessera-cancel", nullptr);
    el_set(edited, EL_BIND, "^Z", "tessera-suspend", nullptr);
  }
};

LineEditor::LineEditor(std::string history_file, Completer completer)
    : parts_(std::make_unique<Parts>()) {
  std::setlocale(LC_CTYPE, "");  // NOLINT(concurrency-mt-unsafe): before any line is read
  parts_->history_file = std::move(history_file);
  parts_->completer = std::move(completer);
  parts_->set_up();
  HistEvent event{};
  history(parts_->remembered.get(), &event, H_SETSIZE, kMostRemembered);
  history(parts_->remembered.get(), &event, H_SETUNIQUE, 1);
  if (!parts_->history_file.empty()) {
    const char* const path = parts_->history_file.c_str();
    if (history(parts_->remembered.get(), &event, H_LOAD, path) > 2 * kMostRemembered) {
      history(parts_->remembered.get(), &event, H_SAVE, path);  // else the file only grows
    }
  }
}

LineEditor::~LineEditor() = default;

LineEditor::Ending LineEditor::read(const std::string& prompt, std::string& line) {
  parts_->prompt = prompt;
  parts_->was_cancelled = false;
  // Otherwise the prompt would appear before the terminal sends every key.
  el_set(parts_->editor.get(), EL_PREP_TERM, 1);
  int num_read = 0;
  const char* const text = el_gets(parts_->editor.get(), &num_read);
  if (parts_->was_cancelled) {
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    return Ending::cancelled;
  }
  if (text == nullptr || num_read <= 0) {
    return Ending::end_of_input;
  }
  line.assign(text, static_cast<size_t>(num_read));
  line.erase(line.find_last_not_of('\n') + 1);
  return Ending::line;
}

void LineEditor::remember(const std::string& text) {
  HistEvent event{};
  history(parts_->remembered.get(), &event, H_ENTER, text.c_str());
  if (parts_->history_file.empty()) {
    return;
  }
  // Lines that other shells wrote meanwhile stay. A failure is no error: the statement runs anyway.
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(parts_->history_file).parent_path(),
                                      error);
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(parts_->history_file.c_str(), "ae"));
  if (file != nullptr) {
    std::fseek(file.get(), 0, SEEK_END);  // an empty file gets its head
    const Parts::HistoryPtr entry(history_init());
    history(entry.get(), &event, H_SETSIZE, 1);
    history(entry.get(), &event, H_ENTER, text.c_str());
    history(entry.get(), &event, H_SAVE_FP, file.get());
  }
}

}  // namespace tessera::cli
