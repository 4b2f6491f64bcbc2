#include "context.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "headroom/lint/lint.hpp"

namespace headroom::app {
namespace {

std::string_view trim(std::string_view s) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t begin = s.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blank) - begin + 1);
}

// A list of `export NAME=value` lines looks like a script, too: the plain reader knows its lines better.
bool starts_with_assignment(std::string_view text) {
  return text.starts_with("export ") && text.find("\\\n") == text.npos && text.find('$') == text.npos;
}

std::optional<source::Error> read_script(lint::ContextOptions& context,
                                         std::shared_ptr<const source::SourceText> text) {
  auto script = lint::context_of_script(std::move(text));
  if (!script) return script.error();
  for (auto& [name, value] : script->env) context.env.insert_or_assign(name, std::move(value));
  context.env_complete = true;
  return {};
}

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

std::optional<source::Error> read_environment_file(lint::ContextOptions& context, const std::string& path) {
  constexpr std::size_t most = 1U << 20U;
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
  if (!file) return source::Error{fmt::format("cannot read: {}", std::strerror(errno)), path, {}, false};
  std::string text(most + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return source::Error{fmt::format("cannot read: {}", std::strerror(errno)), path, {}, false};
  }
  if (text.size() > most) return source::Error{"too large for a list of variables (1 MiB)", path, {}, false};
  auto source = std::make_shared<const source::SourceText>(path, text);
  if (dialect::is_script(*source) && !starts_with_assignment(text))
    return read_script(context, std::move(source));
  std::string_view rest = text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    const bool named = equals != std::string_view::npos && line.find('\0') == line.npos;
    if (!named || lint::set_environment(context, line, path)) {
      return source::Error{"expected NAME=value", path, {{number, 1}, {number, 2}}, true};
    }
    std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    context.env[std::string(line.substr(0, equals))] = std::string(value);
  }
  context.env_complete = true;
  return {};
}

}  // namespace headroom::app
