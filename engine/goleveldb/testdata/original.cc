// original writes the database in testdata/original with LevelDB 1.23 and prints testdata/original.txt: the reads that
// its Gets make, counted in its Env.
//
//	apt-get install libleveldb-dev
//	c++ -std=c++17 -O2 original.cc -lleveldb -lpthread -o /tmp/original && /tmp/original original >original.txt
//	rm original/LOCK original/LOG*
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

static long reads, opens;
static bool reading;

// CountedFile counts reads of a table. It copies what is read, because LevelDB does not cache a block that lies in a
// mapping of the file.
struct CountedFile : leveldb::RandomAccessFile {
  explicit CountedFile(leveldb::RandomAccessFile* f) : file(f) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* scratch) const override {
    reads++;
    leveldb::Status s = file->Read(offset, n, result, scratch);
    if (s.ok() && result->data() != scratch) {
      memcpy(scratch, result->data(), result->size());
      *result = leveldb::Slice(scratch, result->size());
    }
    return s;
  }
  std::unique_ptr<leveldb::RandomAccessFile> file;
};

struct CountingEnv : leveldb::EnvWrapper {
  CountingEnv() : EnvWrapper(leveldb::Env::Default()) {}
  leveldb::Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    leveldb::RandomAccessFile* f;
    leveldb::Status s = target()->NewRandomAccessFile(name, &f);
    if (s.ok()) {
      *result = new CountedFile(f);
      opens++;
    }
    return s;
  }
  // Gets that visit two tables would have these compacted, after a hundred.
  void Schedule(void (*function)(void*), void* arg) override {
    if (!reading) target()->Schedule(function, arg);
  }
};

// KeyOf is a key of 16 bytes; of these, the even ones were written.
static std::string KeyOf(uint64_t n) {
  char key[17];
  snprintf(key, sizeof key, "%016llx", (unsigned long long)(n * 0x9e3779b97f4a7c15ULL));
  return key;
}

static leveldb::DB* Open(const leveldb::Options& o, const char* dir) {
  leveldb::DB* db;
  leveldb::Status s = leveldb::DB::Open(o, dir, &db);
  if (!s.ok()) {
    fprintf(stderr, "%s\n", s.ToString().c_str());
    exit(1);
  }
  return db;
}

int main(int, char** argv) {
  const int kKeys = 6000, kGets = 20000;
  CountingEnv env;
  leveldb::Options o;
  o.env = &env;
  o.create_if_missing = true;
  o.write_buffer_size = 64 << 10;
  o.filter_policy = leveldb::NewBloomFilterPolicy(10);
  leveldb::DB* db = Open(o, argv[1]);
  for (uint64_t i = 0; i < kKeys; i++) {
    if (i == 5 * kKeys / 6) db->CompactRange(nullptr, nullptr);
    db->Put(leveldb::WriteOptions(), KeyOf(2 * (i * 7 % kKeys)), std::string(100, 'v'));
  }
  delete db;
  delete Open(o, argv[1]);  // writes the log to a table
  printf("cache absent reads opens\n");
  o.reuse_logs = reading = true;
  for (long cache : {0L, 128L << 10, 256L << 10, 8L << 20}) {
    for (int absent : {0, 1}) {
      fflush(stdout);
      if (fork() > 0) {
        wait(nullptr);
        continue;
      }
      o.block_cache = leveldb::NewLRUCache(cache);
      db = Open(o, argv[1]);
      std::string value;
      reads = opens = 0;
      for (uint64_t i = 0; i < kGets; i++) {
        bool found = db->Get(leveldb::ReadOptions(), KeyOf(2 * (i * i % 1000003 % kKeys) + absent), &value).ok();
        if (found == absent) return 1;
      }
      printf("%ld %d %ld %ld\n", cache, absent, reads, opens);
      fflush(stdout);
      _exit(0);  // closing waits for a compaction
    }
  }
}
