/// What best.cuh decides on the host: shapes, and how taps are cut. The kernels themselves are checked on a
/// GPU by check_convolve.cu in this folder, and on the CPU executor as variants.
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "variants/convolve/best/plan.h"
#include "variants/convolve/best/tuned.h"

namespace tally_convolve {
namespace {

/// Every tap is in one partition, a tile has room for a partition's taps, and its outputs are valid ones.
void expect_sound(const Partitioning& cut, std::int64_t taps) {
  SCOPED_TRACE(testing::Message() << taps << " taps in " << cut.partitions);
  EXPECT_GE(std::int64_t{cut.taps_of_each} * cut.partitions, taps);
  EXPECT_LT(std::int64_t{cut.taps_of_each} * (cut.partitions - 1), taps) << "a partition without taps";
  EXPECT_LE(cut.taps_of_each, length / 2);
  EXPECT_GT(cut.valid, 0);
  EXPECT_LE(cut.valid, length - cut.taps_of_each + 1);
  EXPECT_EQ(cut.valid % 32, 0);
}

TEST(Partitioning, HoldsForAnyNumberOfTaps) {
  for (std::int64_t taps = 1; taps <= 20000; ++taps) expect_sound(partitioning_of(taps), taps);
  const auto seed = std::random_device()();
  testing::Test::RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100; ++i) {
    const auto taps = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 26)) + 1;
    expect_sound(partitioning_of(taps), taps);
  }
}

TEST(Partitioning, TakesTheLeastTransformsAnOutput) {
  const auto cost = [](const Partitioning& cut) { return (cut.partitions + 1.0) / cut.valid; };
  for (const std::int64_t taps : {1, 64, 1000, 2048, 2049, 3000, 4096, 8192, 65536}) {
    const double chosen = cost(partitioning_of(taps));
    for (std::int64_t partitions = (taps + length / 2 - 1) / (length / 2);
         partitions <= taps && partitions <= 100; ++partitions) {
      EXPECT_LE(chosen, cost(partitioning(taps, partitions)) * (1 + 1e-12))
          << taps << " taps are better cut into " << partitions;
    }
  }
  EXPECT_EQ(partitioning_of(1024).partitions, 1);
  EXPECT_EQ(partitioning_of(4096).partitions, 2);
}

TEST(Partitioning, BlocksCoverAllOutputs) {
  const Partitioning cut = partitioning_of(1000);
  EXPECT_EQ(blocks_of(cut, 1), 1);
  EXPECT_EQ(blocks_of(cut, 2 * cut.valid), 1);
  EXPECT_EQ(blocks_of(cut, 2 * cut.valid + 1), 2);
  EXPECT_EQ(blocks_of(cut, (std::int64_t{1} << 40) + 999) * 2 * cut.valid >= (std::int64_t{1} << 40) + 999,
            true);
}

void expect_sound(const Direct& shape) {
  SCOPED_TRACE(testing::Message() << shape.words << " words, " << shape.lanes << " lanes, " << shape.groups);
  EXPECT_EQ(shape.words % 2, 1) << "lanes would share banks";
  EXPECT_EQ(shape.lanes % 32, 0);
  EXPECT_LE(shape.threads(), 1024);
  EXPECT_GT(shape.steps_of_block(), 0);
  EXPECT_EQ(shape.steps_of_block() % (shape.words + 1), 0) << "not whole turns of the window";
  const int tile_words = shape.lanes * shape.words;
  EXPECT_EQ(shape.tile(4), 4 * tile_words);
  EXPECT_EQ(shape.tile(8), 2 * tile_words);
  const int bytes = 16 * (tile_words + 2 * shape.steps_of_block() * shape.groups);
  EXPECT_LE(bytes, 48 * 1024) << "more than static shared memory can be";
}

/// Any number of outputs and taps finds a row, and rows that nothing could find are not there.
void expect_sound(std::span<const Row> rows) {
  Row before{0, INT64_MAX, {}};
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << "up to " << row.most_outputs << " outputs, " << row.most_taps
                                    << " taps");
    if (row.most_outputs == before.most_outputs) {
      EXPECT_GT(row.most_taps, before.most_taps);
    } else {
      EXPECT_GT(row.most_outputs, before.most_outputs);
      EXPECT_EQ(before.most_taps, INT64_MAX);
    }
    expect_sound(row.shape);
    before = row;
  }
  EXPECT_EQ(before.most_outputs, INT64_MAX);
  EXPECT_EQ(before.most_taps, INT64_MAX);
}

void expect_sound(std::span<const Crossover> crossovers) {
  Crossover before{0, INT64_MAX};
  for (const Crossover& crossover : crossovers) {
    EXPECT_GT(crossover.most_outputs, before.most_outputs);
    EXPECT_LE(crossover.taps, before.taps) << "more outputs, but overlap-save pays later";
    EXPECT_GT(crossover.taps, 1);
    before = crossover;
  }
  EXPECT_EQ(before.most_outputs, INT64_MAX);
}

TEST(Table, AnswersForAnyProblemWithShapesThatAGpuCanRun) {
  expect_sound(rows_of_float);
  expect_sound(rows_of_double);
  expect_sound(crossovers_of_float);
  expect_sound(crossovers_of_double);
}

}  // namespace
}  // namespace tally_convolve
