// Findings as diagnostics of the protocol.
#pragma once
#include "document.hpp"

namespace headroom::lsp {

/// The byte range of a finding: its place in this file, or the nearest key above it that is written.
[[nodiscard]] source::Span span_of_finding(Document& document, const rules::Diagnostic& finding);

[[nodiscard]] Json diagnostic(Document& document, const rules::Diagnostic& finding, const Host& host);

/// All diagnostics of a document: findings, why it cannot be read, what is wrong with its `.headroom.yaml`.
[[nodiscard]] Json diagnostics(Document& document, const Host& host);

/// The URI of a rule's page, or null.
[[nodiscard]] Json page_of(std::string_view rule, const Host& host);

}  // namespace headroom::lsp
