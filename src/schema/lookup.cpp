// Look-ups by what people write: GPU spellings, model names, misspelt fields.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

#include "headroom/schema/schema.hpp"

namespace headroom::schema {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Letters and digits in lower case: "NVIDIA H100 80GB HBM3" and "nvidia-h100-80gb-hbm3" become equal.
std::string squeeze(std::string_view text) {
  std::string out;
  for (char c : text)
    if (is_word(c)) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Whether `text` squeezed is `wanted`; a check asks this of every model for every piece of evidence.
bool squeezes_to(std::string_view text, std::string_view wanted) {
  std::size_t at = 0;
  for (const char c : text) {
    if (!is_word(c)) continue;
    if (at == wanted.size() || wanted[at] != std::tolower(static_cast<unsigned char>(c))) return false;
    ++at;
  }
  return at == wanted.size();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (is_word(c)) {
      out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

/// 80 for `80gb` and `80gib`; 0 where the word is no size.
double size_in_gb(std::string_view word) {
  double value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return 0;
  std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
  return unit == "gb" || unit == "gib" || unit == "g" ? value : 0;
}

/// Vendors name sizes in GB or GiB and torch reports a little more or less: 8 % apart is the same board.
bool has_size(const Gpu& gpu, double gb) {
  auto near = [&](double bytes) { return std::abs(bytes / static_cast<double>(gpu.total_bytes) - 1) < 0.08; };
  return near(gb * 1e9) || near(gb * 1073741824.0);
}

std::string_view family(std::string_view kind) {
  return kind.substr(0, kind.find('-'));
}

/// One bit for each letter that occurs: names whose bits differ much cannot be near each other.
std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::uint64_t letters(std::string_view text) {
  std::uint64_t bits = 0;
  for (char c : text) bits |= std::uint64_t{1} << (static_cast<unsigned char>(c) & 63u);
  return bits;
}

/// Edit distance in which two swapped neighbours count as one edit; `limit + 1` where it is larger than
/// `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  constexpr std::size_t longest = 160;  // no field has so long a name
  if (a.size() > b.size() + limit || b.size() > a.size() + limit || b.size() >= longest) return limit + 1;
  if (static_cast<std::size_t>(std::popcount(letters(a) ^ letters(b))) > 2 * limit) return limit + 1;
  std::array<std::array<std::size_t, longest>, 3> rows;
  auto *before = rows[0].data(), *last = rows[1].data(), *row = rows[2].data();
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t swap = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + swap});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::size_t tolerance(std::size_t length) {
  return length <= 3 ? 1 : length <= 6 ? 2 : length / 3;
}

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || name[at - 1] == '_') && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

/// How many words `known` has beyond those of `written`, where it has all of those: `tensor_parallel_size` is
/// `tensor_model_parallel_size` with one word left out. npos where it lacks one, or `written` is a single
/// word.
std::size_t words_left_out(std::string_view written, std::string_view known) {
  auto count = [](std::string_view s) {
    return 1 + static_cast<std::size_t>(std::count(s.begin(), s.end(), '_'));
  };
  std::size_t words = count(written);
  if (words < 2 || count(known) <= words || written.size() >= known.size()) return std::string_view::npos;
  for (std::size_t start = 0; start <= written.size();) {
    std::size_t end = std::min(written.find('_', start), written.size());
    if (end == start || !has_word(known, written.substr(start, end - start))) return std::string_view::npos;
    start = end + 1;
  }
  return count(known) - words;
}

std::size_t length_difference(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

struct Candidate {
  std::size_t score = 0;  ///< twice the edit distance, and a little for what is less likely meant
  std::size_t tie = 0;    ///< among equals: difference of the lengths, or the place of another section
  std::string_view name;
};

/// Collects names near a misspelt one. Distances count double so that half steps can rank.
class Suggester {
 public:
  Suggester(const Schema& schema, std::string_view name, Release r)
      : schema_(schema), name_(name), release_(r) {
    std::size_t dot = name.find('.');
    section_ = name.substr(0, dot);
    leaf_ = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
    known_section_ = std::find(schema.section_names.begin(), schema.section_names.end(), section_) !=
                     schema.section_names.end();
  }

  std::vector<std::string_view> run() {
    for (const Rename& rename : schema_.renames)
      if (rename.from == name_ && !rename.to.empty() && usable(schema_.find(rename.to))) add(0, rename.to);
    for (std::size_t i = 0; i < schema_.size(); ++i) look_at(static_cast<FieldId>(i));
    std::stable_sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.score, a.tie) < std::pair(b.score, b.tie);
    });
    std::vector<std::string_view> out;
    for (const Candidate& c : found_)
      if (out.size() < 3 && std::find(out.begin(), out.end(), c.name) == out.end()) out.push_back(c.name);
    return out;
  }

 private:
  bool usable(FieldId id) const { return id != no_field && contains(schema_.field(id).releases, release_); }

  void add(std::size_t score, std::string_view name) { add(score, length_difference(name, name_), name); }
  void add(std::size_t score, std::size_t tie, std::string_view name) {
    found_.push_back({score, tie, name});
  }

  void look_at(FieldId id) {
    const Field& f = schema_.field(id);
    if (!usable(id) || f.name == name_ || f.name.ends_with("._target_")) return;
    std::size_t extra = contains(f.deprecated, release_) ? 3 : f.provider_specific ? 1 : 0;
    std::size_t dot = f.name.find('.');
    std::string_view section = f.name.substr(0, dot);
    if (dot == std::string_view::npos || leaf_.empty()) {
      compare(name_, f.name, extra);
    } else if (section == section_) {
      compare(leaf_, f.name.substr(dot + 1), extra, f.name);
    } else if (f.space == Space::config) {
      std::string_view leaf = f.name.substr(dot + 1);
      if (leaf == leaf_) {
        add(3 + extra, f.section, f.name);  // the right name in the wrong section
      } else if (!known_section_) {
        compare(name_, f.name, extra);
      }
    }
  }

  void compare(std::string_view written, std::string_view known, std::size_t extra,
               std::string_view name = {}) {
    std::size_t limit = tolerance(written.size());
    std::size_t d = std::min(edit_distance(written, known, limit), words_left_out(written, known));
    if (d <= limit) add(2 * d + extra, name.empty() ? known : name);
  }

  const Schema& schema_;
  std::string_view name_, section_, leaf_;
  Release release_;
  bool known_section_ = false;
  std::vector<Candidate> found_;
};

}  // namespace

const Gpu* Schema::find_gpu(std::string_view spelling) const {
  std::string wanted = squeeze(spelling);
  if (wanted.empty()) return nullptr;
  for (const Gpu& gpu : gpus) {
    if (squeeze(gpu.kind) == wanted) return &gpu;
    for (std::string_view alias : gpu.aliases)
      if (squeeze(alias) == wanted) return &gpu;
  }
  // Otherwise the kind must be a word of its own (GB200 is no B200) and a size, where one is given, must fit.
  auto words = words_of(spelling);
  double size = 0;
  for (const auto& word : words) size = std::max(size, size_in_gb(word));
  const Gpu* best = nullptr;
  for (const Gpu& gpu : gpus) {
    bool named = std::find(words.begin(), words.end(), family(gpu.kind)) != words.end() ||
                 std::any_of(gpu.aliases.begin(), gpu.aliases.end(), [&](std::string_view alias) {
                   std::string a = squeeze(alias);
                   return a.size() > 8 && wanted.find(a) != std::string::npos;
                 });
    if (!named || (size > 0 && !has_size(gpu, size))) continue;
    // Without a size the kind that has the plain name is meant: `A100-SXM4` is the one with 80 GB.
    if (best == nullptr || gpu.kind == family(gpu.kind)) best = &gpu;
  }
  return best;
}

const DialectRow* DialectTable::find(std::string_view row) const {
  auto it = std::lower_bound(rows.begin(), rows.end(), row,
                             [](const DialectRow& r, std::string_view wanted) { return r.name < wanted; });
  return it == rows.end() || it->name != row ? nullptr : &*it;
}

const DialectTable* Schema::find_dialect(std::string_view name) const {
  auto it =
      std::find_if(dialects.begin(), dialects.end(), [&](const DialectTable& d) { return d.name == name; });
  return it == dialects.end() ? nullptr : &*it;
}

namespace {

/// `Qwen3-4B` of `/root/Qwen3-4B/` and of `Qwen/Qwen3-4B-Base`: tuned and untuned variants have the same
/// sizes.
std::string_view model_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  path = path.substr(path.rfind('/') + 1);
  for (std::string_view variant : {"-Instruct", "-Base", "-Chat", "-Thinking", "-it", "-pt"})
    if (path.ends_with(variant)) return path.substr(0, path.size() - variant.size());
  return path;
}

}  // namespace

const ModelFacts* Schema::find_model(std::string_view name) const {
  if (const ModelFacts* exact = find_exact_model(name)) return exact;
  return find_exact_model(model_name(name));
}

const ModelFacts* Schema::find_exact_model(std::string_view name) const {
  std::string wanted = squeeze(name);
  if (wanted.empty()) return nullptr;
  auto matches = [&](const ModelFacts& m) {
    std::string_view last = m.id.substr(m.id.find('/') == std::string_view::npos ? 0 : m.id.find('/') + 1);
    return squeezes_to(m.id, wanted) || squeezes_to(last, wanted) ||
           std::any_of(m.aliases.begin(), m.aliases.end(),
                       [&](auto alias) { return squeezes_to(alias, wanted); });
  };
  auto it = std::find_if(models.begin(), models.end(), matches);
  return it == models.end() ? nullptr : &*it;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::string_view::npos;
  const std::string written = in_lower_case(word);
  for (std::string_view candidate : known) {
    // A third of the letters, or a start that is cut off: `selectiv`, `full_iter`.
    const std::size_t limit = std::max<std::size_t>(1, candidate.size() / 3);
    std::size_t d = edit_distance(written, in_lower_case(candidate), limit);
    if (word.size() >= 3 && candidate.starts_with(word)) {
      d = 2 * word.size() >= candidate.size() ? 1 : candidate.size() - word.size();
    } else if (d > limit) {
      continue;
    }
    if (d >= best_distance) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::vector<std::string_view> Schema::suggest(std::string_view canonical, Release r) const {
  return Suggester(*this, canonical, r).run();
}

}  // namespace headroom::schema
