#include "recipe_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "arguments.hpp"
#include "headroom/dialect/bridge.hpp"
#include "headroom/dialect/recipe.hpp"
#include "headroom/schema/training_recipe.hpp"

namespace headroom::dialect {

using schema::RecipeWords;
using schema::Schema;
using source::Word;

namespace {

std::int64_t number_in(std::string_view text) {
  const source::Value v = source::resolve_scalar(text, source::Loader::omega_conf);
  return v.is_int() ? v.as_int() : 0;
}

class RecipeLine {
 public:
  RecipeLine(const Opened& opened, Settings& out, Mapper& mapper, const Schema& schema, schema::Release r)
      : opened_(opened), out_(out), mapper_(mapper), schema_(schema), release_(r) {
    flags_ = split_flags(command(), opened.arguments, schema, *opened.table);
  }

  void read() {
    find();
    if (match_) start();
    infer_mode();
    // The training scripts apply key=value words last, the performance scripts their options.
    const bool options_first = opened_.table->recipe == RecipeWords::library || has("--use_recipes");
    if (options_first) read_flags(opened_, out_, mapper_, schema_);
    read_words();
    if (!options_first) read_flags(opened_, out_, mapper_, schema_);
    if (match_) scale();
    if (!match_ && !name_.empty()) {
      out_.notes.push_back(fmt::format(
          "the recipe {} is not in headroom's catalogue: only what the script itself sets is known", name_));
    }
  }

 private:
  [[nodiscard]] const source::Command& command() const { return opened_.script->commands[opened_.command]; }

  [[nodiscard]] std::string_view name_of(const FlagWords& f) const {
    return flag_name(command().words[f.flag].text);
  }

  [[nodiscard]] bool has(std::string_view flag) const {
    return std::ranges::any_of(flags_, [&](const FlagWords& f) { return name_of(f) == flag; });
  }

  /// The value of the last of these flags; empty where none is given or its value is unknown.
  [[nodiscard]] std::string_view value(std::initializer_list<std::string_view> names) const {
    std::string_view out;
    for (const FlagWords& f : flags_) {
      if (std::find(names.begin(), names.end(), name_of(f)) == names.end()) continue;
      const Word& flag = command().words[f.flag];
      if (f.joined) {
        out = std::string_view(flag.text).substr(name_of(f).size() + 1);
      } else if (f.end > f.flag + 1 && command().words[f.flag + 1].known) {
        out = command().words[f.flag + 1].text;
      }
    }
    return out;
  }

  void find() {
    if (opened_.table->recipe == RecipeWords::library) {
      name_ = value({"--recipe"});
      if (name_.empty() && has("--model")) name_ = schema::library_recipe_name(value({"--model"}), mode());
    } else if (has("--use_recipes")) {
      name_ = schema::library_recipe_name(value({"--model_recipe_name", "-mr"}), value({"--task", "-t"}));
    } else {
      return find_benchmark();
    }
    if (!name_.empty()) match_ = schema::find_training_recipe(schema_, name_, release_);
  }

  [[nodiscard]] std::string_view mode() const {
    const std::string_view given = value({"--mode"});
    return given.empty() ? std::string_view("pretrain") : given;
  }

  void find_benchmark() {
    schema::BenchmarkJob job;
    job.model = value({"--model_recipe_name", "-mr"});
    if (const auto task = value({"--task", "-t"}); !task.empty()) job.task = task;
    if (const auto dtype = value({"--compute_dtype", "-c"}); !dtype.empty()) job.precision = dtype;
    job.gpu = value({"--gpu", "-g"});
    job.gpus = number_in(value({"--num_gpus", "-ng"}));
    job.variant = value({"--config_variant", "-cv"});
    name_ = fmt::format("{} {} {} {}", job.model, job.task, job.gpu, job.precision);
    if (const auto found = schema::find_benchmark_recipe(schema_, job, release_)) match_ = *found;
  }

  /// The recipe's settings are the ground that everything else is laid upon.
  void start() {
    Settings base = settings_of_recipe(*match_->recipe, schema_);
    out_.settings = std::move(base.settings);
    out_.recipe = base.recipe;
    if (match_->recipe->gpus > 0) out_.hints.gpus = match_->recipe->gpus;
    if (!match_->recipe->gpu.empty()) out_.hints.gpu = std::string(match_->recipe->gpu);
    const std::string of =
        match_->exact ? std::string() : fmt::format(" as it is in Bridge {}", schema::name(match_->release));
    out_.notes.push_back(fmt::format("the script starts from the recipe {}{}", match_->recipe->name, of));
  }

  /// Without --mode the script tells what to do from the recipe's name.
  void infer_mode() {
    const schema::FieldId mode = schema_.find("script.mode");
    if (mode == schema::no_field || opened_.table->recipe != RecipeWords::library || has("--mode")) return;
    for (const std::string_view word : {"pretrain", "sft", "peft"})
      if (name_.find(fmt::format("_{}", word)) != std::string::npos)
        out_.assign(mode, source::Value(word), {});
  }

  void read_words() {
    for (std::uint32_t i = opened_.arguments; i < command().words.size(); ++i) {
      const Word& word = command().words[i];
      const bool of_flag =
          std::ranges::any_of(flags_, [&](const FlagWords& f) { return i >= f.flag && i < f.end; });
      if (of_flag || word.text.starts_with('-') || word.text.find('=') == std::string::npos) continue;
      auto parsed = source::parse_override(word.text, "argument");
      if (!parsed) {
        out_.notes.push_back(fmt::format("not read: {} ({})", word.text, parsed.error().message));
        continue;
      }
      if (!word.known) parsed->value = source::Value::unknown();
      apply_override(out_, *parsed, schema_, release_,
                     Place{opened_.text, word.span, word.span, From::file, parsed->key});
    }
  }

  void scale() {
    const auto gpus = out_.hints.total_gpus();
    if (!gpus) return;
    if (auto why = scale_to_gpus(out_, *match_->recipe, *gpus, schema_, release_))
      out_.notes.push_back(std::move(*why));
  }

  const Opened& opened_;
  Settings& out_;
  Mapper& mapper_;
  const Schema& schema_;
  schema::Release release_;
  std::vector<FlagWords> flags_;
  std::string name_;
  std::optional<schema::RecipeMatch> match_;
};

}  // namespace

void read_recipe_line(const Opened& opened, Settings& out, Mapper& mapper, const schema::Schema& schema,
                      schema::Release r) {
  RecipeLine(opened, out, mapper, schema, r).read();
}

}  // namespace headroom::dialect
