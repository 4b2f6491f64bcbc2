// `file:` URIs (RFC 3986, RFC 8089) and paths.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace headroom::lsp {

/// The path of a `file:` URI, percent-decoded; nullopt for other schemes, other hosts and bad escapes.
[[nodiscard]] std::optional<std::string> path_of_uri(std::string_view uri);

/// An absolute path as a URI; what RFC 3986 does not leave bare is percent-encoded.
[[nodiscard]] std::string uri_of_path(std::string_view path);

}  // namespace headroom::lsp
