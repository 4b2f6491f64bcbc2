// `headroom run`: what the command sees and what its caller sees, with real processes.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "program.hpp"

namespace headroom::cli {
namespace {

constexpr const char* good =
    "mixed_precision: bf16_mixed\nmodel: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\n";
constexpr const char* bad =
    "headroom: {env: {}}\nmodel: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: "
    "true, "
    "cpu_offloading_num_layers: 1, pipeline_model_parallel_size: 2}\n";

Run sh(const TemporaryFolder& folder, const std::string& script, const char* config = good) {
  return {{"run", "-q", folder.file("config.yaml", config), "--", "sh", "-c", script}};
}

/// headroom in the background, its standard output in a file.
class Background {
 public:
  Background(const TemporaryFolder& folder, const std::string& script) : out_(folder.file("bg-out", "")) {
    const Run run = sh(folder, script);
    std::vector<std::string> words{HEADROOM_PROGRAM};
    words.insert(words.end(), run.args.begin(), run.args.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ != 0) return;
    const int out = open(out_.c_str(), O_WRONLY);
    if (dup2(out, 1) < 0) _exit(99);
    execv(HEADROOM_PROGRAM, argv.data());
    _exit(99);
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background() {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }
  /// Until the command has printed `text`: proof that output is not held back.
  void wait_for(const std::string& text) const {
    for (int i = 0; i < 3000 && out().find(text) == std::string::npos; ++i) usleep(10000);
    REQUIRE(out().find(text) != std::string::npos);
  }
  void send(int signal) const { REQUIRE(kill(pid_, signal) == 0); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  int wait() {
    int status = 0;
    REQUIRE(waitpid(std::exchange(pid_, 0), &status, 0) > 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string out() const { return read(out_); }

 private:
  std::string out_;
  pid_t pid_ = 0;
};

bool exists(const TemporaryFolder& folder, const std::string& name) {
  return std::filesystem::exists(folder.path() + "/" + name);
}

}  // namespace

TEST_CASE("run: the status is the command's") {
  const TemporaryFolder folder;
  CHECK(run(sh(folder, "exit 0")).status == 0);
  CHECK(run(sh(folder, "exit 7")).status == 7);
  CHECK(run(sh(folder, "kill -9 $$")).status == 128 + 9);
  CHECK(run(sh(folder, "kill -TERM $$")).status == 128 + 15);
}

TEST_CASE("run: output is passed through byte for byte, each stream to its own") {
  const TemporaryFolder folder;
  const auto result = run(sh(folder, "printf 'a\\000\\377\\r\\n\\033[31mb'; printf 'to err' >&2; exit 3"));
  CHECK(result.status == 3);
  CHECK(result.out == std::string("a\0\xff\r\n\x1b[31mb", 11));
  CHECK(result.err == "to err");
  const auto large = run(sh(folder, "head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2"));
  CHECK(large.out == std::string(3000000, '\0'));
  CHECK(large.err == std::string(2000000, '\0'));
}

TEST_CASE("run: standard input is the command's") {
  const TemporaryFolder folder;
  Run what = sh(folder, "cat");
  what.input = "one\ntwo";
  CHECK(run(what).out == "one\ntwo");
  const auto dash = run({{"run", "-", "--", "true"}});
  CHECK(dash.status == 2);
  CHECK(dash.err.find("standard input") != std::string::npos);
}

TEST_CASE("run: errors in the config keep the command from being started") {
  const TemporaryFolder folder;
  Run what = sh(folder, "touch " + folder.path() + "/started; echo out", bad);
  const auto stopped = run(what);
  CHECK(stopped.status == 1);
  CHECK(stopped.out.empty());
  CHECK(stopped.err.find("offload/pipeline-parallel") != std::string::npos);
  CHECK(stopped.err.find("not started") != std::string::npos);
  CHECK_FALSE(exists(folder, "started"));
  what.args.insert(what.args.begin() + 1, "--force");
  const auto forced = run(what);
  CHECK(forced.status == 0);
  CHECK(forced.out == "out\n");
  CHECK(forced.err.find("offload/pipeline-parallel") != std::string::npos);
  CHECK(exists(folder, "started"));
}

TEST_CASE("run: unreadable configs and missing words are usage errors") {
  const TemporaryFolder folder;
  const std::string config = folder.file("c.yaml", good);
  const std::string broken = folder.file("broken.yaml", "a: [1\n");
  CHECK(run({{"run", config}}).status == 2);
  CHECK(run({{"run", config, "--"}}).status == 2);
  CHECK(run({{"run", "--", "true"}}).status == 2);
  CHECK(run({{"run", broken, "--", "true"}}).status == 2);
  CHECK(run({{"run", "--force", broken, "--", "true"}}).status == 0);
  CHECK(run({{"run", config, "--nonsense", "--", "true"}}).status == 2);
}

TEST_CASE("run: a command that cannot be started") {
  const TemporaryFolder folder;
  const std::string config = folder.file("c.yaml", good);
  const auto missing = run({{"run", "-q", config, "--", "no-such-command-here", "x"}});
  CHECK(missing.status == 127);
  CHECK(missing.err.find("'no-such-command-here': command not found") != std::string::npos);
  const auto no_file = run({{"run", "-q", config, "--", folder.path() + "/none"}});
  CHECK(no_file.status == 127);
  const auto not_executable = run({{"run", "-q", config, "--", config}});
  CHECK(not_executable.status == 126);
  CHECK(not_executable.err.find("Permission denied") != std::string::npos);
  const std::string script = folder.file("script", "echo without interpreter line $1\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  CHECK(run({{"run", "-q", config, "--", script, "x"}}).out == "without interpreter line x\n");
}

TEST_CASE("run: the command's words are its own") {
  const TemporaryFolder folder;
  const std::string config = folder.file("c.yaml", good);
  const auto result = run({{"run", "-q", config, "--", "sh", "-c", "printf '%s|' \"$@\"", "sh", "--force",
                            "--", "model.num_layers=3", "--help", ""}});
  CHECK(result.out == "--force|--|model.num_layers=3|--help||");
}

TEST_CASE("run: nothing of headroom's leaks into the command") {
  const TemporaryFolder folder;
  const auto fds = run(sh(folder,
                          "for f in 3 4 5 6 7 8 9 10 11 12 13 14 15; do "
                          "if [ -e /proc/$$/fd/$f ]; then echo $f; fi; done"));
  CHECK(fds.out.empty());
  const auto ignored = run(sh(folder, "exec sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status"));
  CHECK((std::stoul(ignored.out, nullptr, 16) >> (SIGPIPE - 1) & 1U) == 0);
  const auto blocked = run(sh(folder, "exec sed -n 's/^SigBlk:[^0-9a-f]*//p' /proc/self/status"));
  CHECK(std::stoul(blocked.out, nullptr, 16) == 0);
}

TEST_CASE("run: descendants that keep the pipe do not hold headroom") {
  const TemporaryFolder folder;
  const auto result = run(sh(folder, "(sleep 20; touch " + folder.path() + "/late) & echo before; exit 4"));
  CHECK(result.status == 4);
  CHECK(result.out == "before\n");
  CHECK_FALSE(exists(folder, "late"));
}

TEST_CASE("run: output comes while the command runs") {
  const TemporaryFolder folder;
  Background program(folder, "printf no-newline; while [ ! -e " + folder.path() +
                                 "/go ]; do sleep 0.02; done; printf ' end'");
  program.wait_for("no-newline");
  folder.file("go", "");
  CHECK(program.wait() == 0);
  CHECK(program.out() == "no-newline end");
}

TEST_CASE("run: signals reach the command") {
  const std::vector<std::pair<int, std::string>> signals{
      {SIGTERM, "TERM"}, {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGQUIT, "QUIT"}, {SIGUSR1, "USR1"}};
  for (const auto& [signal, name] : signals) {
    CAPTURE(name);
    const TemporaryFolder folder;
    Background program(folder, "trap 'echo got " + name + "; exit 9' " + name +
                                   "; echo ready; while :; do sleep 0.02; done");
    program.wait_for("ready");
    program.send(signal);
    CHECK(program.wait() == 9);
    CHECK(program.out() == "ready\ngot " + name + "\n");
  }
}

TEST_CASE("run: an untrapped signal ends the command, and the status says which") {
  const TemporaryFolder folder;
  Background program(folder, "echo ready; exec sleep 60");
  program.wait_for("ready");
  program.send(SIGTERM);
  CHECK(program.wait() == 128 + SIGTERM);
}

/// The kernel drops a terminal's stop signal in a process group that no shell waits for, as under some CI
/// runners.
bool stop_signals_work() {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGTSTP);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (!WIFSTOPPED(status)) return false;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return true;
}

TEST_CASE("run: TSTP and CONT stop and continue both") {
  if (!stop_signals_work()) {
    WARN("left out: this process group cannot be stopped");
    return;
  }
  const TemporaryFolder folder;
  Background program(folder, "trap 'echo continued; exit 5' CONT; echo $$; while :; do sleep 0.02; done");
  program.wait_for("\n");
  const std::string child = program.out().substr(0, program.out().find('\n'));
  const auto is_stopped = [](const std::string& pid) {
    return read("/proc/" + pid + "/stat").find(") T ") != std::string::npos;
  };
  // Both, as a shell waits: a CONT between the command's stop and the program's own would be lost.
  const auto stopped = [&] { return is_stopped(child) && is_stopped(std::to_string(program.pid())); };
  program.send(SIGTSTP);
  for (int i = 0; i < 3000 && !stopped(); ++i) usleep(10000);
  CHECK(stopped());
  program.send(SIGCONT);
  CHECK(program.wait() == 5);
  CHECK(program.out().find("continued") != std::string::npos);
}

TEST_CASE("run: a reader that went away is the command's broken pipe") {
  const TemporaryFolder folder;
  Run what = sh(folder, "exec yes");
  what.closed_pipe = true;
  CHECK(run(what).status == 128 + SIGPIPE);
}

TEST_CASE("run: a death of memory is explained on standard error") {
  const TemporaryFolder folder;
  const std::string log = HEADROOM_SOURCE_DIR "/tests/cli/data/out_of_memory.log";
  const auto dead = run(sh(folder, "echo step 1; cat " + log + " >&2; exit 1"));
  CHECK(dead.status == 1);
  CHECK(dead.out == "step 1\n");
  CHECK(dead.err.find(read(log)) == 0);
  CHECK(dead.err.find("headroom: the command ended with status 1") != std::string::npos);
  CHECK(dead.err.find("capacity-activation") != std::string::npos);
  CHECK(dead.err.find("what to change") != std::string::npos);
  // The same text from a command that ends well is a matter of its own.
  const auto alive = run(sh(folder, "cat " + log + "; exit 0"));
  CHECK(alive.status == 0);
  CHECK(alive.err.empty());
}

TEST_CASE("run: other deaths are not explained") {
  const TemporaryFolder folder;
  const auto result = run(sh(folder, "echo 'ValueError: no such data set' >&2; exit 3"));
  CHECK(result.status == 3);
  CHECK(result.err == "ValueError: no such data set\n");
}

TEST_CASE("run: killed without a word") {
  const TemporaryFolder folder;
  const auto result = run(sh(folder, "kill -9 $$"));
  CHECK(result.status == 137);
  CHECK(result.err.find("host-memory") != std::string::npos);
  const auto ended = run(sh(folder, "kill -TERM $$"));
  CHECK(ended.err.empty());
}

}  // namespace headroom::cli
