#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/shared_sink.h"
#include "net/link.h"

namespace tessera::engine {

/// Returns the reach of the processes of a run that write a file together.
io::Reach reach_of(const net::Link& link);

/// A file that the processes of a run write together, each its parts.
struct CommonFile {
  std::unique_ptr<store::TileSink> sink;
  std::string meeting_place;  // the name to find it by until it is committed
};

/// Makes a file on the first process, which tells the others its meeting place, where they join it,
/// and its name, which errors show. REQUIRES that every process calls it. Errors: those of `make`,
/// on the first; those of io::join_shared.
CommonFile common_file(net::Link& link, const std::string& name, const ArrayType& type,
                       const std::function<std::unique_ptr<io::SharedSink>(io::Reach reach)>& make);

/// Gives every file its name. With a link every process calls it: the others close theirs before
/// the first names one, so that their parts are visible on any filesystem, and all return when all
/// have their names. Errors: `resource`. REQUIRES that all is written.
void commit_files(net::Link* link, std::vector<std::unique_ptr<store::TileSink>>& sinks,
                  store::Durability durability);

}  // namespace tessera::engine
