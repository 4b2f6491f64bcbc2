// What the server answers about one document. Each function is given `params` of its request.
#pragma once
#include "document.hpp"

namespace headroom::lsp {

/// What the client can take (`initialize`).
struct Client {
  Encoding encoding = Encoding::utf16;
  bool document_changes = false;  ///< edits with the version that they are for
  bool markdown = false;          ///< in hovers and completions
};

/// `textDocument/codeAction`: a quick fix for each verified fix of a finding in the range, and
/// `source.fixAll.headroom` for those that need no decision.
[[nodiscard]] Json code_actions(Document& document, const Json& params, const Client& client,
                                const Host& host);

/// `textDocument/hover`: what a field means, what really runs and why, and its share of memory.
[[nodiscard]] Json hover(Document& document, const Json& params, const Client& client);

/// `textDocument/completion`: fields of the section, keys of the language, values of a field.
[[nodiscard]] Json completion(Document& document, const Json& params, const Client& client);

/// `completionItem/resolve`: the item with its description.
[[nodiscard]] Json resolve_completion(const Json& item, const Client& client);

/// `textDocument/documentLink`: rule ids that are written down, and findings, to the pages of their rules.
[[nodiscard]] Json document_links(Document& document, const Host& host);

}  // namespace headroom::lsp
