#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with the test.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("headroom-source-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator{}));
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("Files that are no text are refused in plain words") {
  using namespace std::string_literals;
  const Folder folder;
  struct Row {
    std::string text;
    const char* where;
  };
  const Row rows[] = {
      {"a: 1\nb: \xFF\n", "2:4 byte 0xff is not valid UTF-8"},
      {"é: \xC3(\n", "1:4 byte 0xc3"},
      {"a: \xED\xA0\x80", "1:4 byte 0xed"},
      {"a: \xC0\x80", "1:4 byte 0xc0"},
      {"a: \xF4\x90\x80\x80", "1:4 byte 0xf4"},
      {"a: \xE2\x82", "1:4 byte 0xe2"},
      {"a\0b"s, "1:2 a NUL byte"},
      {"\xFF\xFE"
       "a\0"s,
       "1:1 this is UTF-16"},
      {"\xFE\xFF\0a"s, "1:1 this is UTF-16"},
      {"\xFF\xFE\0\0a\0\0\0"s, "1:1 this is UTF-32"},
  };
  for (const Row& row : rows) {
    const auto text = read_file(folder.write("f", row.text));
    REQUIRE_FALSE(text);
    CHECK_THAT(describe(text.error()), Catch::StartsWith(row.where));
    CHECK(text.error().source == folder.file("f"));
  }
}

TEST_CASE("Files, folders and pipes") {
  const Folder folder;
  const auto text = read_file(folder.write("ok.yaml", "a: é\n"));
  REQUIRE(text);
  CHECK((*text)->text() == "a: é\n");
  CHECK((*text)->name() == folder.file("ok.yaml"));
  CHECK_THAT(describe(read_file(folder.file("none")).error()),
             Catch::StartsWith("cannot open: No such file"));
  CHECK_THAT(describe(read_file(fs::path(folder.file("x")).parent_path().string()).error()),
             Catch::StartsWith("is a directory"));
  Limits small;
  small.bytes = 4;
  CHECK_FALSE(read_file(folder.file("ok.yaml"), small));
  CHECK_THAT(describe(read_file("/dev/zero").error()), Catch::StartsWith("larger than"));
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(folder.file("pipe")) << "a: 1\n"; });
  const auto piped = read_file(folder.file("pipe"));
  writer.join();
  REQUIRE(piped);
  CHECK((*piped)->text() == "a: 1\n");
}

TEST_CASE("A file is replaced whole, or not at all") {
  const Folder folder;
  const std::string path = folder.write("f.yaml", "old\n");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  CHECK(replace_file(path, "old\n", "new\n"));
  CHECK(content(path) == "new\n");
  CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms(0640));
  const auto changed = replace_file(path, "old\n", "third\n");
  REQUIRE_FALSE(changed);
  CHECK_THAT(changed.error().message, Catch::StartsWith("changed since"));
  CHECK(content(path) == "new\n");
  fs::create_symlink("f.yaml", folder.file("link"));
  CHECK(replace_file(folder.file("link"), "new\n", "linked\n"));
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(content(path) == "linked\n");
  CHECK_FALSE(replace_file(folder.file("none"), "", "x"));
  CHECK_FALSE(replace_file(folder.file("."), "", "x"));
  CHECK(folder.count() == 2);  // no temporary file is left
}
