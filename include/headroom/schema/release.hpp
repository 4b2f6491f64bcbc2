// Releases of Megatron Bridge, and the versions that each pins.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::schema {

/// The releases whose sources headroom knows, oldest first. `main` is the snapshot of 2026-08-22 (0.7.0).
enum class Release : std::uint8_t { v0_2_2, v0_3_1, v0_4_2, v0_5_1, v0_6_0, main };
inline constexpr int release_count = 6;
inline constexpr Release newest_release = Release::main;
inline constexpr Release default_release = Release::v0_6_0;

/// A set of releases as a bit mask, bit i = Release(i).
using ReleaseSet = std::uint8_t;
inline constexpr ReleaseSet all_releases = 0x3f;
[[nodiscard]] constexpr bool contains(ReleaseSet set, Release r) {
  return ((set >> static_cast<int>(r)) & 1) != 0;
}

/// Major, minor, patch; a pre-release (`2.11.0a0`, `0.16.0rc0`, `.dev0`) sorts before its release.
struct Version {
  std::int32_t major = 0, minor = 0, patch = 0;
  std::int32_t stage = 0;  ///< 0 release, <0 pre-release (dev -4, a -3, b -2, rc -1)
  // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer in it
  friend auto operator<=>(const Version&, const Version&) = default;
};
[[nodiscard]] std::optional<Version> parse_version(std::string_view text);
[[nodiscard]] std::string to_string(const Version& v);

struct ReleaseInfo {
  Release release{};
  std::string_view name;  ///< "0.6.0", "main"
  Version bridge;         ///< main is 0.7.0
  Version mcore;          ///< Megatron-Core it pins
  Version te, torch;      ///< assumed where not given
  std::string_view mcore_commit;
};
[[nodiscard]] const ReleaseInfo& info(Release r);
[[nodiscard]] std::string_view name(Release r);

/// `0.6.0`, `v0.6.0`, `main`, `HEAD`, or any other number: the nearest of its minor, else the nearest
/// release; `exact` is false then.
struct ReleaseMatch {
  Release release{};
  bool exact = true;
};
[[nodiscard]] std::optional<ReleaseMatch> match_bridge(std::string_view text);
[[nodiscard]] std::optional<ReleaseMatch> match_mcore(std::string_view text);

/// `>=0.4.2 <0.6.0`, `0.5.1`, `main`: the releases meant; nullopt where the text is no range.
[[nodiscard]] std::optional<ReleaseSet> parse_release_range(std::string_view text);
/// The same over Megatron-Core numbers (`mcore: ">=0.17"`).
[[nodiscard]] std::optional<ReleaseSet> parse_mcore_range(std::string_view text);

}  // namespace headroom::schema
