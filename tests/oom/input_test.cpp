// Compressed logs, and files that are none.
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "headroom/oom/input.hpp"

namespace headroom::oom {
namespace {

namespace fs = std::filesystem;

const std::string text = "first\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";

class File {
 public:
  explicit File(std::string_view bytes) {
    std::string pattern = (fs::temp_directory_path() / "headroom-input-XXXXXX").string();
    const int fd = mkstemp(pattern.data());
    REQUIRE(fd >= 0);
    close(fd);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~File() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string gzip(std::string_view plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(plain.size() + 200, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

source::Result<LogFacts> facts_of(const std::string& path) {
  auto input = Input::open(path);
  if (!input) return tl::unexpected(input.error());
  return read_log(*input);
}

}  // namespace

TEST_CASE("plain, gzip and zstd hold the same log") {
  for (const std::string& bytes :
       {text, gzip(text), zstd(text), gzip(text.substr(0, 6)) + gzip(text.substr(6)),
        zstd(text.substr(0, 6)) + zstd(text.substr(6))}) {
    const File file(bytes);
    const auto log = facts_of(file.path());
    REQUIRE(log.has_value());
    CHECK(log->lines == 2);
    REQUIRE(log->failures.size() == 1);
    CHECK(log->failures.front().figures.tried == 2.0 * 1024 * 1024 * 1024);
  }
}

TEST_CASE("compressed data that ends early, or is damaged, is an error") {
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    const File cut(whole.substr(0, whole.size() / 2));
    const auto log = facts_of(cut.path());
    REQUIRE_FALSE(log.has_value());
    CHECK_THAT(log.error().message, Catch::Contains("compressed data"));
  }
  std::string damaged = zstd(std::string(5000, 'a') + text);
  for (std::size_t i = 8; i < damaged.size(); ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
  const File file(damaged);
  CHECK_FALSE(facts_of(file.path()).has_value());
}

TEST_CASE("what is no log is told by its first bytes") {
  CHECK(content_of("PK\x03\x04") == Content::archive);
  CHECK(content_of("\x80\x02}") == Content::pickle);
  CHECK(content_of("\x80\x05\x95") == Content::pickle);
  CHECK(content_of("") == Content::log);
  CHECK(content_of("[rank0]: x") == Content::log);
}

TEST_CASE("files that cannot be read") {
  CHECK_FALSE(Input::open("/no/such/file.log").has_value());
  const auto folder = Input::open("/tmp");
  REQUIRE_FALSE(folder.has_value());
  CHECK_THAT(folder.error().message, Catch::Contains("irectory"));
}

}  // namespace headroom::oom
