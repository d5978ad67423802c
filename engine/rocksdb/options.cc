//go:build rocksdb

#include "bridge.hpp"
#include "rocksdb/convenience.h"

using namespace rocksdb;

namespace getio {

namespace {

// ApplyOne sets one option of a section from NAME=VALUE. A value that stands for no object, such as a prefix extractor
// that the library does not have, is an error.
Status ApplyOne(const std::string& section, const std::string& option, Options* o, BlockBasedTableOptions* table) {
  ConfigOptions how;
  how.ignore_unknown_options = false;
  how.ignore_unsupported_options = false;
  if (section == "DBOptions") {
    DBOptions changed;
    Status s = GetDBOptionsFromString(how, *o, option, &changed);
    if (s.ok()) static_cast<DBOptions&>(*o) = changed;
    return s;
  }
  if (section == "CFOptions") {
    ColumnFamilyOptions changed;
    Status s = GetColumnFamilyOptionsFromString(how, *o, option, &changed);
    if (s.ok()) static_cast<ColumnFamilyOptions&>(*o) = changed;
    return s;
  }
  BlockBasedTableOptions changed;
  Status s = GetBlockBasedTableOptionsFromString(how, *table, option, &changed);
  if (s.ok()) *table = changed;
  return s;
}

}  // namespace

std::string Apply(const std::string& lines, Options* o, BlockBasedTableOptions* table) {
  std::string refused;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at), dot = lines.find('.', at), equals = lines.find('=', at);
    if (!ApplyOne(lines.substr(at, dot - at), lines.substr(dot + 1, end - dot - 1), o, table).ok()) {
      refused += lines.substr(dot + 1, equals - dot - 1) + "\n";
    }
    at = end + 1;
  }
  return refused;
}

}  // namespace getio

char* bridge_default_options(void) {
  ConfigOptions how;
  how.delimiter = "\n";
  const ColumnFamilyOptions family;
  std::string database, of_family;
  if (!GetStringFromDBOptions(how, DBOptions(), &database).ok() ||
      !GetStringFromColumnFamilyOptions(how, family, &of_family).ok()) {
    return getio::Copy("");
  }
  return getio::Copy("[DBOptions]\n" + database + "[CFOptions]\n" + of_family + "[TableOptions/BlockBasedTable]\n" +
                     family.table_factory->GetPrintableOptions());
}
