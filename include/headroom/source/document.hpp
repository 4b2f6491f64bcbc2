// A parsed YAML or JSON text: a tree with a span for every key and value. Knows nothing of Megatron.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/error.hpp"
#include "headroom/source/span.hpp"
#include "headroom/source/value.hpp"

namespace headroom::source {

/// Whose scalar rules apply. They disagree: PyYAML reads `3e-4` as a string, `010` as 8 and keeps the
/// last of two equal keys; OmegaConf reads a float and refuses the duplicate (docs/loaders.md).
enum class Loader : std::uint8_t { py_yaml, omega_conf, hydra, json };

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = 0xffffffff;

enum class NodeKind : std::uint8_t { scalar, sequence, mapping };
enum class ScalarStyle : std::uint8_t { plain, single_quoted, double_quoted, literal, folded };

struct Member {
  NodeId key = no_node;
  NodeId value = no_node;
};

struct Node {
  NodeKind kind = NodeKind::scalar;
  ScalarStyle style = ScalarStyle::plain;
  Span span;  ///< the value as written, quotes and brackets included; empty for an absent value (`key:`),
              ///< then at the end of the key's `:`
  std::string tag;            ///< explicit tag as written (`!!set`, `!foo`), else empty
  std::string text;           ///< scalar: its characters after unquoting
  Value value;                ///< scalar: typed by the loader. Sequence of scalars: a List. Else Opaque.
  std::vector<NodeId> items;  ///< sequence
  std::vector<Member>
      members;         ///< mapping, in order of the text, merge keys (`<<`) expanded, duplicates kept
  bool alias = false;  ///< reached by `*name`; span is that of the alias
  bool flow = false;   ///< written as `[…]` or `{…}`
};

/// Something about the text that its loader treats in a way a reader would not expect.
struct Remark {
  enum class Kind : std::uint8_t {
    duplicate_key,      ///< py_yaml, json: the earlier of two equal keys is dropped
    number_is_string,   ///< py_yaml: `3e-4`, `1e-5`: a string, not a number
    surprising_scalar,  ///< `yes` is true, `010` is 8, `12:30` is 750
    more_documents,     ///< only the first document is read; PyYAML and OmegaConf refuse such a file
    unknown_tag,        ///< a tag that the loader would refuse or run; read as plain data here
    interpolation,      ///< `${…}` that could not be resolved
  };
  Kind kind{};
  Span span;
  NodeId node = no_node;
  std::string text;  ///< what happens, one sentence
};

/// Limits on hostile input; beyond them reading stops with an Error.
struct Limits {
  std::uint64_t bytes = 8u << 20;  ///< size of a text
  std::uint32_t depth = 100;       ///< nesting
  std::uint32_t nodes = 250'000;   ///< nodes after alias expansion
};

class Document {
 public:
  std::shared_ptr<const SourceText> source;
  Loader loader = Loader::py_yaml;
  std::vector<Node> nodes;
  NodeId root = no_node;  ///< no_node: an empty document
  std::vector<Remark> remarks;

  [[nodiscard]] const Node& node(NodeId id) const { return nodes[id]; }
  /// Value of `key` in mapping `map`, the last of duplicates; no_node if absent or `map` is no mapping.
  [[nodiscard]] NodeId find(NodeId map, std::string_view key) const;
  [[nodiscard]] const Member* find_member(NodeId map, std::string_view key) const;
};

/// Reads YAML (or JSON, which has its own reader) from `text`. `loader` decides scalar types.
/// What those loaders refuse is an Error too: duplicate anchors, complex keys, tabs outside quotes, a line
/// without its colon. No flow collection or single value may be longer than 256 KiB.
/// `${a.b}` is resolved against the document. Tags, anchors, merge keys are data: nothing is executed.
[[nodiscard]] Result<Document> read_yaml(std::shared_ptr<const SourceText> text, Loader loader,
                                         const Limits& limits = {});
[[nodiscard]] Result<Document> read_json(std::shared_ptr<const SourceText> text, const Limits& limits = {});

/// Reads a file: regular files, pipes and `-` (standard input); a directory, an unreadable or too large
/// file is an Error. UTF-8 is checked (line and column of the first bad byte), NUL bytes refused.
[[nodiscard]] Result<std::shared_ptr<const SourceText>> read_file(const std::string& path,
                                                                  const Limits& limits = {});

/// Which reader and loader a configuration text needs: JSON by a `.json` name, or by its first characters
/// where it is not called `.yaml` or `.yml` (those go to a YAML loader, whatever is in them);
/// py_yaml where the text is a saved config (a `_target_` at top level or in a section), else omega_conf.
[[nodiscard]] Loader detect_loader(const SourceText& text);

/// The type a plain scalar has for `loader` (no quotes); used by readers and by `--set`.
[[nodiscard]] Value resolve_scalar(std::string_view text, Loader loader);

/// One `key=value` word in Hydra's override grammar: `a.b=1`, `+a.b=x`, `++a.b=[1,2]`, `~a.b`, `a.b={x: 1}`,
/// quotes.
struct Override {
  enum class Kind : std::uint8_t { set, add, force, remove };
  Kind kind = Kind::set;
  std::string key;
  Value value;  ///< scalars and lists; Opaque for a mapping; unknown where `${…}` stands in it
  std::vector<std::pair<std::string, Value>>
      members;       ///< of a mapping value, keys joined with dots below `key`
  std::string text;  ///< the word as given
};
/// `name` is how errors call it (`--set`, `argument 3`); the location is the column in the word.
[[nodiscard]] Result<Override> parse_override(std::string_view word, std::string_view name);

}  // namespace headroom::source
