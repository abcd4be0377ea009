#include "engine/processes/agreement.h"

#include "base/error.h"
#include "engine/processes/samples.h"
#include "net/messages.h"
#include "plan/hash.h"

namespace tessera::engine {

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Joins the values, each ended so that no two lists give one text.
std::string joined(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    text += fact.value + '\0';
  }
  return text;
}

/// Returns the value at a place of a joined text.
std::string value_at(const std::string& text, size_t number) {
  size_t begin = 0;
  for (; number > 0; --number) {
    begin = text.find('\0', begin) + 1;
  }
  return text.substr(begin, text.find('\0', begin) - begin);
}

/// Returns how a process differs from the first; empty if it does not.
std::string difference(const std::vector<Fact>& facts, const std::string& theirs,
                       const std::string& process) {
  for (size_t number = 0; number < facts.size(); ++number) {
    if (value_at(theirs, number) != facts[number].value) {
      return fmt::format("{} has another {} than process 0; {}", process, facts[number].name,
                         facts[number].remedy);
    }
  }
  return "";
}

}  // namespace

void check_same(net::Link& link, const std::vector<Fact>& facts) {
  const std::string own = joined(facts);
  const std::vector<std::vector<std::byte>> heard =
      net::gather(link, std::as_bytes(std::span(own.data(), own.size())));
  std::string verdict;
  for (size_t process = 1; process < heard.size() && verdict.empty(); ++process) {
    verdict = difference(facts, text_of(heard[process]),
                         net::name_of(link, static_cast<int32_t>(process)));
  }
  verdict = net::broadcast(link, verdict);
  TESSERA_USER_CHECK(verdict.empty(), "{}", verdict);
}

std::vector<Fact> facts_of(const plan::TaskGraph& tasks, const Sources& sources) {
  std::vector<Fact> facts;
  for (const plan::SourceInfo& info : tasks.sources) {
    facts.push_back({"input " + info.name,
                     fmt::format("{:x}", hash_of_samples(*sources.at(info.name))),
                     "give all processes the same data"});
  }
  facts.push_back({"plan", fmt::format("{:x}", plan::hash_of(tasks)),
                   "give all processes the same program and options"});
  return facts;
}

}  // namespace tessera::engine
