#include "headroom/oom/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "headroom/oom/log_reader.hpp"
#include "headroom/snapshot/read.hpp"

namespace headroom::oom {
namespace {

constexpr std::size_t piece = 1u << 18;  // stays in the second-level cache
/// A window of more than 128 MiB (`zstd --long=28` and above) is refused: memory is bounded.
constexpr int most_window_log = 27;

class Gzip {
 public:
  Gzip() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~Gzip() {
    if (ready_) inflateEnd(&stream_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  /// Bytes written; -1 where the data is damaged. Takes from `in` what it used.
  std::ptrdiff_t step(std::string_view& in, std::span<char> out) {
    if (!ready_) return -1;
    if (ended_ && !in.empty()) {  // another member: logs that were appended
      if (inflateReset(&stream_) != Z_OK) return -1;
      ended_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(in.size() - stream_.avail_in);
    if (status == Z_STREAM_END) ended_ = true;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return -1;
    return static_cast<std::ptrdiff_t>(out.size() - stream_.avail_out);
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  z_stream stream_{};
  bool ready_ = false, ended_ = false;
};

class Zstd {
 public:
  Zstd() : context_(ZSTD_createDCtx()) {
    if (context_ != nullptr) ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, most_window_log);
  }
  ~Zstd() { ZSTD_freeDCtx(context_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  std::ptrdiff_t step(std::string_view& in, std::span<char> out) {
    if (context_ == nullptr) return -1;
    ZSTD_inBuffer source{in.data(), in.size(), 0};
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &target, &source);
    in.remove_prefix(source.pos);
    if (ZSTD_isError(left) != 0) return -1;
    ended_ = left == 0;
    return static_cast<std::ptrdiff_t>(target.pos);
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  ZSTD_DCtx* context_;
  bool ended_ = false;
};

/// `/dev/zero` and the like give bytes without end, a disk gives those of another. Terminals and `/dev/null`
/// end.
bool is_endless(const struct stat& info, int file) {
  struct stat null {};
  if (S_ISBLK(info.st_mode)) return true;
  if (!S_ISCHR(info.st_mode) || isatty(file) == 1) return false;
  return ::stat("/dev/null", &null) != 0 || null.st_rdev != info.st_rdev;
}

}  // namespace

Content content_of(std::string_view first) {
  if (first.starts_with("PK\x03\x04")) return Content::archive;
  if (snapshot::is_pickle(first.substr(0, 256))) return Content::pickle;
  return Content::log;
}

class Input::State {
 public:
  State(int file, std::string name) : name_(std::move(name)), file_(file), raw_(piece) {}
  ~State() {
    if (file_ > 0) close(file_);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  source::Result<void> start() {
    auto first = fill();
    if (!first) return tl::unexpected(first.error());
    pending_ = *first;
    if (pending_.starts_with("\x1f\x8b")) gzip_ = std::make_unique<Gzip>();
    if (pending_.starts_with("\x28\xb5\x2f\xfd")) zstd_ = std::make_unique<Zstd>();
    compressed_ = pending_;
    if (gzip_ || zstd_) {
      auto plain = inflate_some();
      if (!plain) return tl::unexpected(plain.error());
      pending_ = *plain;
    }
    content_ = content_of(pending_);
    return {};
  }

  source::Result<std::string_view> read() {
    if (!pending_.empty()) return std::exchange(pending_, std::string_view());
    return gzip_ || zstd_ ? inflate_some() : fill();
  }

  [[nodiscard]] Content content() const { return content_; }

 private:
  source::Error error(std::string message) const { return {std::move(message), name_, {}, false}; }

  source::Result<std::string_view> fill() {
    while (true) {
      const ssize_t n = ::read(file_, raw_.data(), raw_.size());
      if (n >= 0) return std::string_view(raw_.data(), static_cast<std::size_t>(n));
      if (errno != EINTR) return tl::unexpected(error(std::string("cannot read: ") + std::strerror(errno)));
    }
  }

  source::Result<std::string_view> inflate_some() {
    plain_.resize(piece);
    while (true) {
      if (compressed_.empty()) {
        auto more = fill();
        if (!more) return more;
        compressed_ = *more;
        if (compressed_.empty()) {
          const bool ended = gzip_ ? gzip_->ended() : zstd_->ended();
          if (!ended) return tl::unexpected(error("the compressed data ends in the middle"));
          return std::string_view();
        }
      }
      const std::ptrdiff_t n = gzip_ ? gzip_->step(compressed_, plain_) : zstd_->step(compressed_, plain_);
      if (n < 0)
        return tl::unexpected(error("the compressed data is damaged, or its window is above 128 MiB"));
      if (n > 0) return std::string_view(plain_.data(), static_cast<std::size_t>(n));
    }
  }

  std::string name_;
  int file_;
  std::vector<char> raw_, plain_;
  std::string_view pending_, compressed_;
  std::unique_ptr<Gzip> gzip_;
  std::unique_ptr<Zstd> zstd_;
  Content content_ = Content::log;
};

Input::Input(std::unique_ptr<State> state) : state_(std::move(state)) {}
Input::~Input() = default;
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;

source::Result<Input> Input::open(const std::string& path) {
  int file = 0;
  if (path != "-") {
    file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return tl::unexpected(
          source::Error{std::string("cannot open: ") + std::strerror(errno), path, {}, false});
  }
  auto state = std::make_unique<State>(file, path == "-" ? "<stdin>" : path);
  struct stat info {};
  if (fstat(file, &info) == 0 && (S_ISDIR(info.st_mode) || is_endless(info, file))) {
    const std::string why = S_ISDIR(info.st_mode) ? std::string("cannot open: ") + std::strerror(EISDIR)
                                                  : "a device, which has no end: no log";
    return tl::unexpected(source::Error{why, path == "-" ? "<stdin>" : path, {}, false});
  }
  if (auto ok = state->start(); !ok) return tl::unexpected(ok.error());
  return Input(std::move(state));
}

Content Input::content() const {
  return state_->content();
}

source::Result<std::string_view> Input::read() {
  return state_->read();
}

source::Result<LogFacts> read_log(Input& input) {
  LogReader reader;
  while (true) {
    const auto bytes = input.read();
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty()) return reader.finish();
    reader.feed(*bytes);
  }
}

}  // namespace headroom::oom
