// The reader: real files, hand-made ones of every opcode, and files that are cut or hostile.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "pickle.hpp"
#include "support.hpp"

namespace headroom::snapshot::test {
namespace {

std::string error_of(const std::string& bytes, const Limits& limits = {}) {
  const auto read = snapshot::read(bytes, "x.pickle", limits);
  return read ? std::string("read") : read.error().message;
}

// A small snapshot with everything that a file can hold, in the words of `p`'s protocol.
std::string small(unsigned protocol = 4) {
  Pickle p(protocol);
  p.begin_dict().text("segments").begin_list();
  p.begin_dict().entry("device", 1).entry("address", 4096).entry("total_size", 2048);
  p.entry("allocated_size", 512).entry("active_size", 1536).entry("stream", 7);
  p.entry("segment_type", "small")
      .text("segment_pool_id")
      .op('K')
      .little(0, 1)
      .op('K')
      .little(3, 1)
      .op('\x86');
  p.text("is_expandable").op('\x88').text("frames").op(']');
  p.text("blocks").begin_list();
  p.begin_dict().entry("address", 4096).entry("size", 512).entry("requested_size", 500);
  p.entry("state", "active_allocated").text("frames").begin_list();
  p.begin_dict().entry("name", "f").entry("filename", "a.py").entry("line", 3).end_dict().op('\x94');
  p.begin_dict().entry("name", "g").entry("filename", "b.py").entry("line", 4).end_dict();
  p.end_list().end_dict();
  p.begin_dict().entry("size", 1024).entry("requested_size", 1000).entry("state", "active_awaiting_free");
  p.text("frames").op(']').op('h').little(0, 1).op('a').end_dict();
  p.begin_dict().entry("size", 512).entry("state", "inactive").text("frames").op('N').end_dict();
  p.end_list().end_dict().end_list();
  p.text("device_traces").begin_list().op(']').begin_list();
  p.begin_dict().entry("action", "alloc").entry("addr", 4096).entry("size", 500).entry("stream", 7);
  p.entry("time_us", 5).text("user_metadata").text("").end_dict();
  p.begin_dict().entry("action", "oom").entry("device_free", 99).entry("size", 1 << 20).end_dict();
  p.end_list().end_list();
  p.text("allocator_settings").begin_dict().entry("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True");
  p.text("expandable_segments").op('\x88').text("max_split_size").op('J').little(0xffffffff, 4);
  p.text("garbage_collection_threshold").op('G').raw(std::string("\x3f\xe0\0\0\0\0\0\0", 8));
  p.text("roundup_power2_divisions").begin_dict().entry("1", 4).end_dict().end_dict();
  return p.text("a key of tomorrow").op('N').end_dict().stop();
}

}  // namespace

TEST_CASE("figures of real snapshots") {
  const auto index = nlohmann::json::parse(file("index.json"));
  REQUIRE(index.size() == 3);
  for (const auto& entry : index) {
    CAPTURE(entry["file"]);
    const std::string bytes = file(entry["file"]);
    const auto read = snapshot::read(bytes, "x");
    REQUIRE(read);
    CHECK(read->segments.size() == entry["segments"]);
    CHECK(read->blocks.size() == entry["blocks"]);
    CHECK(read->trace(0).size() == entry["trace_events"]);
    CHECK(read->trace(1).empty());
    CHECK(read->traces.size() == 2);
    CHECK(read->file_bytes == bytes.size());
    CHECK(read->settings.known);
    CHECK_FALSE(read->settings.expandable_segments);
  }
}

TEST_CASE("every field of a snapshot") {
  for (const unsigned protocol : {2U, 3U, 4U, 5U}) {
    const auto read = snapshot::read(small(protocol), "x");
    REQUIRE(read);
    REQUIRE(read->segments.size() == 1);
    const Segment& segment = read->segments[0];
    CHECK(segment.device == 1);
    CHECK(segment.address == 4096);
    CHECK(segment.bytes == 2048);
    CHECK(segment.stream == 7);
    CHECK(segment.pool == PoolId{0, 3});
    CHECK(segment.expandable);
    CHECK_FALSE(segment.large);
    const auto blocks = read->blocks_of(segment);
    REQUIRE(blocks.size() == 3);
    CHECK(blocks[0].requested == 500);
    CHECK(blocks[1].state == BlockState::pending_free);
    CHECK(blocks[1].address == 4608);
    CHECK(blocks[2].address == 5632);
    CHECK(blocks[2].requested == 512);
    REQUIRE(read->stack(blocks[0].stack).size() == 2);
    const Frame& inner = read->frames[read->stack(blocks[0].stack)[0]];
    CHECK(read->text(inner.file) == "a.py");
    CHECK(read->text(inner.function) == "f");
    CHECK(inner.line == 3);
    CHECK(read->stack(blocks[1].stack).size() == 1);
    CHECK(read->stack(blocks[1].stack)[0] == read->stack(blocks[0].stack)[0]);
    CHECK(blocks[2].stack == no_stack);
    CHECK(read->trace(0).empty());
    REQUIRE(read->trace(1).size() == 2);
    CHECK(read->trace(1)[0].action == Action::alloc);
    CHECK(read->streams[read->trace(1)[0].stream] == 7);
    CHECK(read->trace(1)[1].action == Action::oom);
    CHECK(read->trace(1)[1].address == 99);
    CHECK(read->settings.text == "expandable_segments:True");
    CHECK(read->settings.expandable_segments);
    CHECK(read->settings.max_split_size == -1);
    CHECK(read->settings.garbage_collection_threshold == 0.5);
  }
}

TEST_CASE("a file that comes in drops reads the same") {
  const std::string bytes = file("snap-oom-unfused.pickle");
  std::size_t at = 0;
  const auto drops = snapshot::read(
      [&](char* to, std::size_t n) {
        const std::size_t got = bytes.copy(to, std::min<std::size_t>(n, 1 + at % 7), at);
        at += got;
        return got;
      },
      "x");
  const auto whole = snapshot::read(bytes, "x");
  REQUIRE(drops);
  REQUIRE(whole);
  CHECK(drops->characters == whole->characters);
  CHECK(drops->stack_frames == whole->stack_frames);
  CHECK(drops->events.size() == whole->events.size());
}

TEST_CASE("the C++ writer's form: protocol 2, memo after the value, lists in one piece") {
  Pickle p(2);
  const auto key = [&](std::string_view text, unsigned memo) {
    p.op('X').little(text.size(), 4).raw(text).op('q').little(memo, 1);
  };
  p.op('}').op('(');
  key("segments", 0);
  p.op(']').op('(').op('e');
  key("device_traces", 1);
  p.op(']').op('(').op(']').op('(');
  p.op('}').op('(');
  key("action", 2);
  key("alloc", 3);
  key("addr", 4);
  p.op('\x8a').little(8, 1).little(0x7f0000000000, 8);
  key("size", 5);
  p.op('M').little(512, 2);
  key("frames", 6);
  p.op(']').op('(').op('}').op('(');
  key("line", 7);
  p.op('K').little(9, 1);
  key("name", 8);
  key("step", 9);
  key("filename", 10);
  key("adam.py", 11);
  p.op('u').op('q').little(12, 1).op('e').op('q').little(13, 1).op('u').op('r').little(14, 4);
  p.op('}').op('(').op('h').little(2, 1).op('h').little(3, 1).op('h').little(6, 1).op('j').little(13, 4).op(
      'u');
  p.op('e').op('e').op('u');
  const auto read = snapshot::read(p.stop(), "x");
  REQUIRE(read);
  REQUIRE(read->trace(0).size() == 2);
  CHECK(read->trace(0)[0].address == 0x7f0000000000);
  CHECK(read->trace(0)[0].stack == read->trace(0)[1].stack);
  CHECK(read->stack(read->trace(0)[0].stack).size() == 1);
}

TEST_CASE("memory_snapshot(): segments alone; blocks with the history of old releases") {
  Pickle p;
  p.begin_list().begin_dict().entry("address", 1024).entry("total_size", 1024).text("blocks").begin_list();
  p.begin_dict().entry("size", 1024).entry("state", "active_allocated").text("history").begin_list();
  p.begin_dict().entry("addr", 1024).entry("real_size", 1000).text("frames").begin_list();
  p.begin_dict()
      .entry("name", "f")
      .entry("filename", "a.py")
      .entry("line", 3)
      .end_dict()
      .end_list()
      .end_dict();
  p.begin_dict().entry("addr", 1024).entry("real_size", 10).end_dict();
  p.end_list().end_dict().end_list().end_dict().end_list();
  const auto read = snapshot::read(p.stop(), "x");
  REQUIRE(read);
  REQUIRE(read->blocks.size() == 1);
  CHECK(read->blocks[0].requested == 1000);
  CHECK(read->stack(read->blocks[0].stack).size() == 1);
}

TEST_CASE("code is refused by name") {
  const std::string os = "cos\nsystem\n(X\x04\0\0\0echo";
  CHECK(
      error_of(os) ==
      "byte 0: refused: the pickle would import os.system (GLOBAL), which no snapshot does; nothing was run");
  CHECK(error_of("\x80\x02" + os).find("byte 2: refused: the pickle would import os.system (GLOBAL)") == 0);
  CHECK(error_of(Pickle().text("posix").text("system").op('\x93').text("id").op('\x85').op('R').stop())
            .find("would import posix.system (STACK_GLOBAL)") != std::string::npos);
  CHECK(error_of("(ibuiltins\neval\n.").find("would import builtins.eval (INST)") != std::string::npos);
  // Also where the dangerous part hides in a value of a proper snapshot.
  const std::string hidden = Pickle().begin_dict().text("segments").bytes;
  CHECK(error_of(hidden + "cos\nsystem\n") ==
        fmt::format("byte {}: refused: the pickle would import os.system (GLOBAL), which no snapshot does; "
                    "nothing was run",
                    hidden.size()));
  CHECK(error_of("\x80\x04"
                 "cos\n")
            .find("would import os. (GLOBAL)") != std::string::npos);
  CHECK(error_of("\x80\x04"
                 "c" +
                 std::string(100000, 'a'))
            .size() < 1000);
}

TEST_CASE("every opcode is accepted or refused by name") {
  struct Case {
    unsigned char opcode;
    std::string_view name;
  };
  for (const auto& [opcode, name] : std::initializer_list<Case>{{'0', "POP"},
                                                                {'1', "POP_MARK"},
                                                                {'2', "DUP"},
                                                                {'F', "FLOAT"},
                                                                {'I', "INT"},
                                                                {'L', "LONG"},
                                                                {'P', "PERSID"},
                                                                {'Q', "BINPERSID"},
                                                                {'R', "REDUCE"},
                                                                {'S', "STRING"},
                                                                {'T', "BINSTRING"},
                                                                {'U', "SHORT_BINSTRING"},
                                                                {'V', "UNICODE"},
                                                                {'b', "BUILD"},
                                                                {'d', "DICT"},
                                                                {'g', "GET"},
                                                                {'l', "LIST"},
                                                                {'o', "OBJ"},
                                                                {'p', "PUT"},
                                                                {0x81, "NEWOBJ"},
                                                                {0x82, "EXT1"},
                                                                {0x83, "EXT2"},
                                                                {0x84, "EXT4"},
                                                                {0x8b, "LONG4"},
                                                                {'B', "BINBYTES"},
                                                                {'C', "SHORT_BINBYTES"},
                                                                {0x8e, "BINBYTES8"},
                                                                {0x8f, "EMPTY_SET"},
                                                                {0x90, "ADDITEMS"},
                                                                {0x91, "FROZENSET"},
                                                                {0x92, "NEWOBJ_EX"},
                                                                {0x93, "STACK_GLOBAL"},
                                                                {0x96, "BYTEARRAY8"},
                                                                {0x97, "NEXT_BUFFER"},
                                                                {0x98, "READONLY_BUFFER"}}) {
    CAPTURE(name);
    const std::string error = error_of(Pickle().op(static_cast<char>(opcode)).raw("xxxxxxxx\n").stop());
    CHECK(error.find(fmt::format("byte 2: refused: {} ", name)) == 0);
    CHECK(error.find("nothing was run") != std::string::npos);
  }
  unsigned unknown = 0;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string error = error_of(Pickle().op(static_cast<char>(byte)).raw("............").stop());
    if (error.find("is no opcode") != std::string::npos) ++unknown;
  }
  CHECK(unknown == 256 - 68);
}

TEST_CASE("every truncation is an error with its place") {
  for (const unsigned protocol : {2U, 4U}) {
    const std::string whole = small(protocol);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string error = error_of(whole.substr(0, size));
      CAPTURE(size, error);
      CHECK(error.find("byte ") == 0);
      CHECK(error.find("file ") != std::string::npos);
    }
  }
  const std::string real = file("snap-oom-unfused.pickle");
  for (std::size_t size = 0; size < real.size(); size += size < 2000 ? 1 : 487)
    CHECK(error_of(real.substr(0, size)).find("file ") != std::string::npos);
}

TEST_CASE("what no snapshot holds is an error") {
  const auto one = [](const auto& build) {
    Pickle p;
    build(p);
    return error_of(p.stop());
  };
  CHECK(error_of("") == "byte 0: the file is empty");
  CHECK(error_of("PK\x03\x04zip").find("an archive") != std::string::npos);
  CHECK(error_of("\x80\x06.").find("protocol 6 is unknown") != std::string::npos);
  CHECK(error_of("hello").find("memo place 101 is read") != std::string::npos);
  CHECK(one([](Pickle& p) { p.begin_dict().entry("a", 1).end_dict(); }).find("not of a memory snapshot") !=
        std::string::npos);
  CHECK(one([](Pickle& p) { p.text("segments"); }).find("a pickle of a text") != std::string::npos);
  CHECK(one([](Pickle& p) {
          p.begin_dict().text("segments").op(']').text("device_traces").begin_list().begin_list();
          p.op('}').end_list().end_list().end_dict();
        }).find("something else than trace entries") != std::string::npos);
  CHECK(one([](Pickle& p) {
          p.begin_dict().text("segments").begin_list().op('}').op('}').end_list();
          p.text("device_traces").op(']').end_dict();
        }).find("no list of segments") != std::string::npos);
  CHECK(one([](Pickle& p) {  // a snapshot that holds itself
          p.op('}').op('\x94').op('(').text("segments").begin_list().op('h').little(0, 1).end_list();
          p.text("device_traces").op(']').end_dict();
        })
            .find("no list of segments") != std::string::npos);
  CHECK(one([](Pickle&) {}).find("unfinished") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('N').op('N'); }).find("unfinished") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('('); }).find("unfinished") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('e'); }).find("without a MARK") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('a'); }).find("APPEND without") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('N').op('a'); }).find("something else than a list") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('}').op('N').op('a'); }).find("something else") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('N').op('s'); }).find("without key and value") != std::string::npos);
  CHECK(one([](Pickle& p) { p.begin_dict().op('N').end_dict(); }).find("without a value") !=
        std::string::npos);
  CHECK(one([](Pickle& p) { p.begin_dict().op('N').op('N').end_dict(); }).find("None as the key") !=
        std::string::npos);
  CHECK(one([](Pickle& p) { p.op('N').op('\x86'); }).find("a tuple of more values") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('\x94'); }).find("remembered where there is none") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('N').op('\x94'); }).find("None is remembered") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op(']').op('r').little(0xfffffff0, 4); }).find("memo place 4294967280") !=
        std::string::npos);
  CHECK(one([](Pickle& p) { p.op('\x95').little(99, 8).op('N'); }).find("before its frame is over") !=
        std::string::npos);
  CHECK(one([](Pickle& p) {
          p.op('\x8a').little(10, 1).raw(std::string(10, 'x'));
        }).find("number of 10 bytes") != std::string::npos);
  CHECK(one([](Pickle& p) { p.op('\x8d').little(std::uint64_t{1} << 40U, 8); }).find("at most 16 MiB") !=
        std::string::npos);
  CHECK(one([](Pickle& p) { p.op('X').little(1U << 20U, 4); }).find("in the middle of a text") !=
        std::string::npos);
  const auto event = [&](const auto& build) {
    return one([&](Pickle& p) {
      p.begin_dict().entry("action", "alloc");
      build(p);
      p.end_dict();
    });
  };
  CHECK(event([](Pickle& p) { p.entry("size", "big"); }).find("'size' is a text") != std::string::npos);
  CHECK(event([](Pickle& p) { p.text("size").op('J').little(0xffffffff, 4); }).find("'size' is negative") !=
        std::string::npos);
  CHECK(event([](Pickle& p) { p.entry("size", std::uint64_t{1} << 60U); }).find("too large") !=
        std::string::npos);
  CHECK(event([](Pickle& p) { p.entry("frames", 1); }).find("no list of frames") != std::string::npos);
  CHECK(one([](Pickle& p) {
          p.begin_dict().entry("total_size", 512).text("blocks").begin_list();
          p.begin_dict().entry("size", 1024).entry("state", "inactive").end_dict().end_list().end_dict();
        }).find("larger than it") != std::string::npos);
}

TEST_CASE("files made to fill memory end early") {
  CHECK(error_of(Pickle().raw(std::string(1000, '(')).stop()).find("nested deeper than 256") !=
        std::string::npos);
  CHECK(error_of(Pickle().raw(std::string(30U << 20U, ']')).stop()).find("far more values") !=
        std::string::npos);
  Limits limits;
  limits.memory_bytes = 1U << 20U;
  std::string texts;
  Pickle p;
  for (unsigned i = 0; i < 100000; ++i) p.text(fmt::format("text number {}", i));
  CHECK(error_of(p.stop(), limits).find("more than 1 MiB of memory") != std::string::npos);
}

TEST_CASE("pickles are told from text") {
  for (const char* name : {"snap-good.pickle", "snap-oom-optimizer.pickle", "snap-oom-unfused.pickle"})
    CHECK(is_pickle(file(name).substr(0, 64)));
  CHECK(is_pickle("cos\nsystem\n(S'id'\ntR."));
  CHECK(is_pickle("(ios\nsystem\n(."));
  CHECK_FALSE(is_pickle("cause\nunknown\nmore"));
  CHECK_FALSE(is_pickle("(info) a line\nof a log\n"));
  CHECK_FALSE(is_pickle("torch.cuda.OutOfMemoryError"));
  CHECK_FALSE(is_pickle(""));
}

}  // namespace headroom::snapshot::test
