// What a snapshot's pieces and uses say about the cause of its failure.
#include <catch2/catch.hpp>

#include "headroom/oom/diagnosis.hpp"
#include "headroom/oom/snapshot.hpp"

namespace headroom::oom {
namespace {

constexpr double mib = 1024.0 * 1024;

/// A failure with the figures of one device, in MiB.
struct Made {
  LogFacts log;
  Made(double tried, double device_free, double reserved, double live) {
    SnapshotFigures figures;
    figures.reserved = reserved * mib;
    figures.live = live * mib;
    log.bytes = 1;
    log.snapshot = figures;
    Failure failure;
    failure.figures.tried = tried * mib;
    failure.figures.free = device_free * mib;
    failure.figures.allocated = live * mib;
    failure.figures.reserved_unallocated = (reserved - live) * mib;
    failure.trace.phase = LogPhase::forward;
    log.failures.push_back(failure);
  }
  [[nodiscard]] Diagnosis diagnosis() const { return diagnose(log, {}); }
  [[nodiscard]] bool considers(Cause cause) const {
    const Diagnosis d = diagnosis();
    return d.cause == cause || std::any_of(d.alternatives.begin(), d.alternatives.end(),
                                           [&](const Candidate& c) { return c.cause == cause; });
  }
};

}  // namespace

TEST_CASE("snapshot: free memory in pieces that are all too small") {
  Made made(500, 100, 80000, 70000);
  made.log.snapshot->inactive_split = 9900 * mib;
  made.log.snapshot->largest_free = 400 * mib;
  CHECK(made.diagnosis().cause == Cause::fragmentation);
  // Taken later the pieces are those of another time.
  made.log.snapshot->later = true;
  CHECK_FALSE(made.considers(Cause::fragmentation));
}

TEST_CASE("snapshot: little free memory is no fragmentation") {
  Made made(500, 100, 80000, 79000);
  made.log.snapshot->inactive_split = 300 * mib;
  made.log.snapshot->largest_free = 200 * mib;
  CHECK_FALSE(made.considers(Cause::fragmentation));
  CHECK(made.diagnosis().cause == Cause::capacity_activation);
}

TEST_CASE("snapshot: a device with room means a cap") {
  CHECK(Made(500, 60000, 20000, 19900).diagnosis().cause == Cause::memory_cap);
  CHECK_FALSE(Made(500, 490, 20000, 19900).considers(Cause::memory_cap));
}

TEST_CASE("snapshot: what lives decides between states, graphs and activations") {
  Made states(500, 10, 80000, 79900);
  states.log.snapshot->weights = 30000 * mib;
  states.log.snapshot->gradients = 20000 * mib;
  states.log.snapshot->optimizer = 25000 * mib;
  CHECK(states.diagnosis().cause == Cause::capacity_states);
  Made graphs(500, 10, 80000, 79900);
  graphs.log.snapshot->graphs = 20000 * mib;
  CHECK(graphs.diagnosis().cause == Cause::cuda_graph_pool);
  Made loss(500, 10, 80000, 79900);
  loss.log.failures[0].trace.module = "logits";
  CHECK(loss.diagnosis().cause == Cause::logits);
  loss.log.snapshot->activations = 40000 * mib;
  loss.log.snapshot->logits = 1000 * mib;
  CHECK(loss.diagnosis().cause == Cause::capacity_activation);
}

TEST_CASE("snapshot: the rank in the name of a file") {
  CHECK(rank_of_file("/a/rank-9/snapshot_oom_rank-3.pickle") == 3);
  CHECK(rank_of_file("snapshot_17.pickle") == 17);
  CHECK(rank_of_file("mem.rank12.pkl.gz") == 12);
  for (const char* name : {"snapshot.pickle", "good.pickle", "ranks.pickle", "snapshot_x.pickle",
                           "rank-.pickle", "snapshot_3a.pickle", "rank99999999999999999999.pickle", ""})
    CHECK_FALSE(rank_of_file(name));
}

TEST_CASE("snapshot: without a failure there is nothing to blame") {
  LogFacts log;
  log.snapshot.emplace();
  CHECK(diagnose(log, {}).cause == Cause::not_memory);
}

}  // namespace headroom::oom
