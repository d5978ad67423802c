//go:build rocksdb

#include "_cgo_export.h"
#include "bridge.hpp"

namespace getio {

using namespace rocksdb;

thread_local bool opening = false;
thread_local bool read_top_index = false;
thread_local uint32_t missed = 0;

namespace {

// Table is an open table or blob file. Go reads it.
class Table : public FSRandomAccessFile {
 public:
  explicit Table(uintptr_t handle) : handle_(handle) {}
  ~Table() override { getioCloseTable(handle_); }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) const override {
    auto read = getioReadTable(handle_, offset, scratch, n, opening, missed);
    read_top_index = read.r1;
    missed = 0;
    *result = Slice(scratch, read.r0 < 0 ? 0 : read.r0);
    return read.r0 < 0 ? IOStatus::IOError("a table cannot be read") : IOStatus::OK();
  }

  // RocksDB then reads block by block, because it believes that they were prefetched.
  IOStatus Prefetch(uint64_t, size_t, const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  const uintptr_t handle_;
};

// CountedFiles is a file system whose tables and blob files Go opens and reads.
class CountedFiles : public FileSystemWrapper {
 public:
  explicit CountedFiles(uintptr_t owner) : FileSystemWrapper(FileSystem::Default()), owner_(owner) {}

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions&, std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext*) override {
    uintptr_t handle = getioOpenTable(owner_, const_cast<char*>(name.data()), name.size());
    if (handle == 0) {
      return IOStatus::IOError("a table cannot be opened", name);
    }
    file->reset(new Table(handle));
    return IOStatus::OK();
  }

 private:
  const uintptr_t owner_;
};

class ReadOnlyFiles : public CountedFiles {
 public:
  using CountedFiles::CountedFiles;

  const char* Name() const override { return "getio.ReadOnly"; }

  IOStatus NewWritableFile(const std::string& f, const FileOptions&, std::unique_ptr<FSWritableFile>*,
                           IODebugContext*) override {
    return Denied("create", f);
  }
  IOStatus ReopenWritableFile(const std::string& f, const FileOptions&, std::unique_ptr<FSWritableFile>*,
                              IODebugContext*) override {
    return Denied("write", f);
  }
  IOStatus ReuseWritableFile(const std::string& f, const std::string&, const FileOptions&,
                             std::unique_ptr<FSWritableFile>*, IODebugContext*) override {
    return Denied("write", f);
  }
  IOStatus NewRandomRWFile(const std::string& f, const FileOptions&, std::unique_ptr<FSRandomRWFile>*,
                           IODebugContext*) override {
    return Denied("write", f);
  }
  IOStatus NewMemoryMappedFileBuffer(const std::string& f, std::unique_ptr<MemoryMappedFileBuffer>*) override {
    return Denied("map", f);
  }
  IOStatus DeleteFile(const std::string& f, const IOOptions&, IODebugContext*) override {
    return Denied("remove", f);
  }
  IOStatus Truncate(const std::string& f, size_t, const IOOptions&, IODebugContext*) override {
    return Denied("truncate", f);
  }
  IOStatus CreateDir(const std::string& d, const IOOptions&, IODebugContext*) override { return Denied("make", d); }
  IOStatus CreateDirIfMissing(const std::string& d, const IOOptions&, IODebugContext*) override {
    return Denied("make", d);
  }
  IOStatus DeleteDir(const std::string& d, const IOOptions&, IODebugContext*) override { return Denied("remove", d); }
  IOStatus RenameFile(const std::string& f, const std::string&, const IOOptions&, IODebugContext*) override {
    return Denied("rename", f);
  }
  IOStatus LinkFile(const std::string& f, const std::string&, const IOOptions&, IODebugContext*) override {
    return Denied("link", f);
  }
  IOStatus LockFile(const std::string& f, const IOOptions&, FileLock**, IODebugContext*) override {
    return Denied("lock", f);
  }
  IOStatus NewLogger(const std::string& f, const IOOptions&, std::shared_ptr<Logger>*, IODebugContext*) override {
    return Denied("create", f);
  }

 private:
  static IOStatus Denied(const char* what, const std::string& name) {
    return IOStatus::NotSupported("refused to " + std::string(what) + " " + name,
                                  "the database is opened read-only");
  }
};

// CountedWrites counts the bytes written to a file.
class CountedWrites : public FSWritableFileOwnerWrapper {
 public:
  CountedWrites(std::unique_ptr<FSWritableFile>&& file, std::atomic<uint64_t>* written)
      : FSWritableFileOwnerWrapper(std::move(file)), written_(written) {}

  IOStatus Append(const Slice& data, const IOOptions& o, IODebugContext* c) override {
    return Wrote(data, FSWritableFileOwnerWrapper::Append(data, o, c));
  }
  IOStatus Append(const Slice& data, const IOOptions& o, const DataVerificationInfo& v, IODebugContext* c) override {
    return Wrote(data, FSWritableFileOwnerWrapper::Append(data, o, v, c));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t off, const IOOptions& o, IODebugContext* c) override {
    return Wrote(data, FSWritableFileOwnerWrapper::PositionedAppend(data, off, o, c));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t off, const IOOptions& o, const DataVerificationInfo& v,
                            IODebugContext* c) override {
    return Wrote(data, FSWritableFileOwnerWrapper::PositionedAppend(data, off, o, v, c));
  }

 private:
  IOStatus Wrote(const Slice& data, IOStatus s) {
    if (s.ok()) *written_ += data.size();
    return s;
  }

  std::atomic<uint64_t>* const written_;
};

class ReadAndWrittenFiles : public CountedFiles {
 public:
  ReadAndWrittenFiles(uintptr_t owner, Written* written) : CountedFiles(owner), written_(written) {}

  const char* Name() const override { return "getio.ReadAndWritten"; }

  // RocksDB tries the file system on CURRENT when it opens a database for writing.
  IOStatus NewRandomAccessFile(const std::string& f, const FileOptions& o, std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* c) override {
    if (!IsTable(f)) return FileSystemWrapper::NewRandomAccessFile(f, o, file, c);
    return CountedFiles::NewRandomAccessFile(f, o, file, c);
  }

  IOStatus NewWritableFile(const std::string& f, const FileOptions& o, std::unique_ptr<FSWritableFile>* file,
                           IODebugContext* c) override {
    return Counted(f, CountedFiles::NewWritableFile(f, o, file, c), file);
  }
  IOStatus ReopenWritableFile(const std::string& f, const FileOptions& o, std::unique_ptr<FSWritableFile>* file,
                              IODebugContext* c) override {
    return Counted(f, CountedFiles::ReopenWritableFile(f, o, file, c), file);
  }
  IOStatus ReuseWritableFile(const std::string& f, const std::string& old, const FileOptions& o,
                             std::unique_ptr<FSWritableFile>* file, IODebugContext* c) override {
    return Counted(f, CountedFiles::ReuseWritableFile(f, old, o, file, c), file);
  }

 private:
  IOStatus Counted(const std::string& name, IOStatus s, std::unique_ptr<FSWritableFile>* file) {
    if (s.ok()) file->reset(new CountedWrites(std::move(*file), Of(name)));
    return s;
  }

  // Of returns the counter for the named file.
  std::atomic<uint64_t>* Of(const std::string& name) {
    if (IsTable(name)) return &written_->tables;
    if (Slice(name).ends_with(".log")) return &written_->logs;
    return &written_->other;
  }

  static bool IsTable(const std::string& name) { return Slice(name).ends_with(".sst"); }

  Written* const written_;
};

}  // namespace

std::shared_ptr<FileSystem> ReadOnly(uintptr_t owner) { return std::make_shared<ReadOnlyFiles>(owner); }

std::shared_ptr<FileSystem> ReadAndWritten(uintptr_t owner, Written* written) {
  return std::make_shared<ReadAndWrittenFiles>(owner, written);
}

}  // namespace getio
