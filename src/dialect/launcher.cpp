#include "launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "words.hpp"

namespace headroom::dialect {

using source::Command;
using source::Word;

namespace {

using Number = std::optional<std::int64_t>;

enum class What : std::uint8_t { processes_a_node, nodes, processes };

struct Option {
  std::string_view launcher, name;
  What what;
};
// torchrun takes dashes and underscores; both forms end up with underscores here.
constexpr std::array<Option, 20> options{{
    {"torchrun", "--nproc_per_node", What::processes_a_node},
    {"torchrun", "--nnodes", What::nodes},
    {"torch.distributed.run", "--nproc_per_node", What::processes_a_node},
    {"torch.distributed.run", "--nnodes", What::nodes},
    {"torch.distributed.launch", "--nproc_per_node", What::processes_a_node},
    {"torch.distributed.launch", "--nnodes", What::nodes},
    {"srun", "--ntasks_per_node", What::processes_a_node},
    {"srun", "--nodes", What::nodes},
    {"srun", "-N", What::nodes},
    {"srun", "--ntasks", What::processes},
    {"srun", "-n", What::processes},
    {"mpirun", "-np", What::processes},
    {"mpirun", "-n", What::processes},
    {"mpirun", "--np", What::processes},
    {"sbatch", "--nodes", What::nodes},
    {"sbatch", "-N", What::nodes},
    {"sbatch", "--gpus_per_node", What::processes_a_node},
    {"sbatch", "--ntasks_per_node", What::processes_a_node},
    {"accelerate", "--num_processes", What::processes},
    {"accelerate", "--num_machines", What::nodes},
}};

std::string underscored(std::string_view name) {
  std::string out(name);
  const std::size_t from = std::min(out.find_first_not_of('-'), out.size());
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(), '-', '_');
  return out;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// `8`, `1:4` (torchrun's range: the most), `gpu:8`, `8(x2)`: the last number that stands alone.
Number number_in(std::string_view text) {
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos)
    text.remove_prefix(colon + 1);
  const auto value = typed_word(text, schema::WordType::integer);
  return value && value->as_int() > 0 ? Number(value->as_int()) : Number();
}

class LauncherReader {
 public:
  /// `--name value` or `--name=value` at word `i` for `launcher`.
  void read(std::string_view launcher, const std::vector<Word>& words, std::size_t i) {
    const std::string_view text = words[i].text;
    const std::size_t equals = text.find('=');
    const std::string name = underscored(text.substr(0, equals));
    const Option* option = find(launcher, name);
    if (option == nullptr) return;
    const bool joined = equals != std::string_view::npos;
    if (!joined && i + 1 >= words.size()) return;
    const Word& value = joined ? words[i] : words[i + 1];
    note(*option,
         value.known ? number_in(joined ? text.substr(equals + 1) : std::string_view(value.text)) : Number());
  }

  void torchrun() { torchrun_ = true; }

  void fill(LaunchHints& hints) const {
    if (processes_ && !hints.gpus) hints.gpus = processes_;
    if (!hints.gpus_per_node) hints.gpus_per_node = a_node_;
    if (!hints.nodes) hints.nodes = nodes_;
    // torchrun alone starts one node; what Slurm or the script's own options say of nodes is known better.
    if (torchrun_ && !hints.nodes && !nodes_said_) hints.nodes = 1;
  }

 private:
  static const Option* find(std::string_view launcher, std::string_view name) {
    const auto same = [&](const Option& o) { return o.launcher == launcher && o.name == name; };
    const auto it = std::find_if(options.begin(), options.end(), same);
    return it == options.end() ? nullptr : &*it;
  }

  void note(const Option& option, Number value) {
    switch (option.what) {
      case What::processes_a_node:
        if (option.launcher != "srun" || !torchrun_) a_node_ = value;
        break;
      case What::nodes:
        nodes_ = value ? value : nodes_;
        nodes_said_ = true;
        break;
      case What::processes:
        processes_ = value;
        break;
    }
  }

  Number a_node_, nodes_, processes_;
  bool torchrun_ = false, nodes_said_ = false;
};

constexpr std::array<std::string_view, 6> launchers{
    "torchrun", "torch.distributed.run", "torch.distributed.launch", "srun", "mpirun", "accelerate"};

void read_command(const Command& command, std::size_t end, LauncherReader& reader) {
  std::string_view launcher;
  for (std::size_t i = 0; i < end; ++i) {
    const std::string_view name = base_name(command.words[i].text);
    const auto known = std::find(launchers.begin(), launchers.end(), name);
    if (known != launchers.end()) {
      launcher = *known;
      if (launcher.starts_with("torch")) reader.torchrun();
    } else if (!launcher.empty() && command.words[i].text.starts_with('-')) {
      reader.read(launcher, command.words, i);
    }
  }
}

}  // namespace

void read_launcher(const Opened& opened, Settings& out) {
  LauncherReader reader;
  for (const source::Directive& d : opened.script->directives) {
    if (d.name != "SBATCH") continue;
    for (std::size_t i = 0; i < d.words.size(); ++i) reader.read("sbatch", d.words, i);
  }
  const auto& commands = opened.script->commands;
  if (opened.command < commands.size()) {
    // `srun bash -c 'torchrun …'`: the outer command first.
    std::vector<std::uint32_t> chain{opened.command};
    while (commands[chain.back()].inside != source::no_command)
      chain.push_back(commands[chain.back()].inside);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const std::size_t end = *it == opened.command ? opened.program : commands[*it].words.size();
      read_command(commands[*it], end, reader);
    }
  }
  reader.fill(out.hints);
}

namespace {

/// `ray job submit --runtime-env-json='{"env_vars": {…}}' -- program`: variables of the processes that ray
/// starts.
void read_ray_environment(const Opened& opened, const schema::Schema& schema, Settings& out) {
  constexpr std::string_view option = "--runtime-env-json";
  const Command& command = opened.script->commands[opened.command];
  for (std::size_t i = 0; i < opened.program && i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    if (!word.text.starts_with(option)) continue;
    const bool joined = word.text.size() > option.size() && word.text[option.size()] == '=';
    if (!joined && i + 1 >= command.words.size()) return;
    const Word& value = joined ? word : command.words[i + 1];
    auto text = std::make_shared<const source::SourceText>(
        "runtime-env.json", joined ? value.text.substr(option.size() + 1) : value.text);
    const auto doc = source::read_json(text);
    if (!doc || doc->root == source::no_node || doc->node(doc->root).kind != source::NodeKind::mapping)
      return;
    const source::NodeId variables = doc->find(doc->root, "env_vars");
    if (variables == source::no_node || doc->node(variables).kind != source::NodeKind::mapping) return;
    for (const source::Member& m : doc->node(variables).members) {
      const std::string& name = doc->node(m.key).text;
      const schema::FieldId field = schema.find(fmt::format("env.{}", name));
      const std::string& set = doc->node(m.value).text;
      if (field == schema::no_field) {
        out.hints.env.insert_or_assign(name, set);
      } else {
        // A variable inside it that nobody knows leaves only that value open.
        const bool open = set.find('$') != std::string::npos;
        out.assign(field, open ? source::Value::unknown() : source::Value(set),
                   Place{opened.text, value.span, value.span, From::file, name});
      }
    }
  }
}

}  // namespace

void read_environment(const Opened& opened, const schema::Schema& schema, Settings& out) {
  const auto add = [&](const source::Assignment& a) {
    const schema::FieldId field = schema.find(fmt::format("env.{}", a.name));
    if (field == schema::no_field) {
      if (a.value.known) out.hints.env.insert_or_assign(a.name, a.value.text);
      return;
    }
    Place place{opened.text, a.name_span, a.value.span, From::file, a.name};
    out.assign(field, a.value.known ? source::Value(a.value.text) : source::Value::unknown(),
               std::move(place));
  };
  for (const source::Assignment& a : opened.script->exports) add(a);
  if (opened.command < opened.script->commands.size()) {
    for (const source::Assignment& a : opened.script->commands[opened.command].environment) add(a);
    read_ray_environment(opened, schema, out);
  }
}

}  // namespace headroom::dialect
