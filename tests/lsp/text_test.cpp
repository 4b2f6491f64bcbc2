// Positions, incremental changes and URIs, seen through the protocol.
#include <catch2/catch.hpp>
#include <random>

#include "client.hpp"

namespace headroom::lsp::test {
namespace {

const std::string uri = "file:///repo/a.yaml";

Json place(int line, int character) {
  return {{"line", line}, {"character", character}};
}

Json change(const std::string& of, int version, Json range, const std::string& text) {
  Json one = {{"text", text}};
  if (!range.is_null()) one["range"] = std::move(range);
  return {{"textDocument", {{"uri", of}, {"version", version}}}, {"contentChanges", Json::array({one})}};
}

}  // namespace

TEST_CASE("columns count UTF-16 units, or bytes where the client offers it") {
  // Before the value: two bytes and one unit; four bytes and two units.
  const std::string text = "model: {num_layers: 5, name: 'ä𝄞', pipeline_model_parallel_size: 2}\n";
  Client utf16;
  utf16.start();
  utf16.open(uri, text);
  Client utf8;
  const Json provided = utf8.start({{"general", {{"positionEncodings", {"utf-32", "utf-8", "utf-16"}}}}});
  CHECK(provided["capabilities"]["positionEncoding"] == "utf-8");
  utf8.open(uri, text);
  const auto related = [&](Client& client) {
    for (const Json& d : client.diagnostics(uri)) {
      if (d["code"] == "pipeline/layers-divisible")
        return d["relatedInformation"][0]["location"]["range"]["start"]["character"].get<int>();
    }
    return -1;
  };
  CHECK(related(utf16) == 36);
  CHECK(related(utf8) == 39);
}

TEST_CASE("ranges past the end and inside a character do no harm") {
  Client client;
  client.start();
  client.open(uri, "# 𝄞\nmodel:\n  num_layers: 4\n  bf16: true\n");
  const auto edit = [&](Json start, Json end, const std::string& text) {
    client.notify("textDocument/didChange", change(uri, 2, {{"start", start}, {"end", end}}, text));
  };
  edit(place(0, 3), place(0, 3), "x");    // inside the pair: before the character
  edit(place(0, 99), place(0, 99), "!");  // the end of the line
  edit(place(99, 0), place(99, 5), "  pipeline_model_parallel_size: 3\n");
  edit(place(2, 5), place(1, 0), "");  // an end before its start
  edit(place(-1, -1), place(-1, -1), "# ");
  REQUIRE_FALSE(client.codes(uri).empty());
  CHECK(client.codes(uri)[0] == "pipeline/layers-divisible");
  CHECK(client.diagnostics(uri)[0]["range"]["start"] == place(2, 2));
}

TEST_CASE("texts changed piece by piece and texts opened whole are the same") {
  std::mt19937 random(7);  // NOLINT: the same run each time
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::string pieces[] = {"  num_layers: 5\n",
                                "é",
                                "𝄞",
                                "\r\n",
                                "model:\n",
                                "# ",
                                "x",
                                "  pipeline_model_parallel_size: 2\n",
                                "'",
                                "{",
                                "}"};
  Client client;
  client.start();
  std::u16string units = u"model:\n  num_layers: 5\n  pipeline_model_parallel_size: 2  # a𝄞\n";
  const auto utf8 = [](const std::u16string& s) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
      std::uint32_t c = s[i];
      if (c >= 0xD800 && c < 0xDC00) c = 0x10000 + ((c - 0xD800) << 10) + (s[++i] - 0xDC00U);
      if (c < 0x80) {
        out += static_cast<char>(c);
      } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        out += static_cast<char>(0x80 | (c & 0x3F));
      } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        for (int shift : {12, 6, 0}) out += static_cast<char>(0x80 | ((c >> shift) & 0x3F));
      }
    }
    return out;
  };
  const auto utf16 = [](const std::string& s) {
    std::u16string out;
    for (std::size_t i = 0; i < s.size();) {
      const auto lead = static_cast<unsigned char>(s[i]);
      const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 4;
      std::uint32_t c = bytes == 1 ? lead : lead & (bytes == 2 ? 0x1F : 0x07);
      for (std::size_t k = 1; k < bytes; ++k) c = (c << 6) | (static_cast<unsigned char>(s[i + k]) & 0x3F);
      if (c < 0x10000) {
        out += static_cast<char16_t>(c);
      } else {
        out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
        out += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF));
      }
      i += bytes;
    }
    return out;
  };
  client.open(uri, utf8(units));
  const auto border = [&](std::size_t at) {  // never between the halves of a pair, nor within CR LF
    if (at < units.size() && ((units[at] >= 0xDC00 && units[at] < 0xE000) ||
                              (units[at] == '\n' && at > 0 && units[at - 1] == '\r')))
      ++at;
    return std::min(at, units.size());
  };
  const auto position = [&](std::size_t at) {
    int line = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < at; ++i) {
      if (units[i] == '\n') {
        ++line;
        start = i + 1;
      }
    }
    return place(line, static_cast<int>(at - start));
  };
  for (int round = 0; round < 200; ++round) {
    const std::size_t begin = border(pick(units.size() + 1));
    const std::size_t end = border(std::min(units.size(), begin + pick(4)));
    const std::string text = pieces[pick(std::size(pieces))];
    client.notify(
        "textDocument/didChange",
        change(uri, round + 2, {{"start", position(begin)}, {"end", position(std::max(begin, end))}}, text));
    units.replace(begin, std::max(begin, end) - begin, utf16(text));
    Json pieced = client.diagnostics(uri);
    client.open("file:///repo/a2.yaml", utf8(units));
    Json whole = client.diagnostics("file:///repo/a2.yaml");
    for (Json* d : {&pieced, &whole}) {
      for (Json& one : *d) one.erase("relatedInformation");  // they name the URI
    }
    INFO(utf8(units));
    REQUIRE(pieced == whole);
  }
}

TEST_CASE("names of files are decoded, other schemes have none") {
  std::vector<std::string> paths;
  Client client({"test",
                 [&](const std::string& path) {
                   paths.push_back(path);
                   return Configuration{};
                 },
                 {},
                 {}});
  client.start();
  for (const std::string name : {"file:///a%20b/%C3%A4.yaml", "file://localhost/c.yaml", "file:/d.yaml",
                                 "untitled:Untitled-1", "file://other/e.yaml", "file:///bad%2",
                                 "file:///nul%00.yaml", "file:///q.yaml?x#y", "vscode-remote://h/f"}) {
    client.open(name, "a: 1\n");
  }
  CHECK(paths ==
        std::vector<std::string>{"/a b/ä.yaml", "/c.yaml", "/d.yaml", "", "", "", "", "/q.yaml", ""});
}

}  // namespace headroom::lsp::test
