// Paths as URIs.
#pragma once
#include <string>
#include <string_view>

namespace headroom::report {

/// RFC 3986: everything but unreserved characters and `/` is percent-encoded, byte by byte. An absolute path
/// becomes `file:///…`; a relative one stays relative, and its first part cannot be taken for a scheme.
[[nodiscard]] std::string uri_of(std::string_view path);

}  // namespace headroom::report
