// When workers that wait for each other wait for ever.
#include <gtest/gtest.h>

#include "harness/device/simt/grid_progress.h"

namespace {

using tally::simt::GridProgress;

TEST(GridProgress, all_have_looked_in_vain_since_the_last_one_moved) {
  GridProgress progress(2);
  progress.begin_to_wait();
  progress.begin_to_wait();
  EXPECT_FALSE(progress.looked_in_vain(progress.generation()));
  EXPECT_TRUE(progress.looked_in_vain(progress.generation()));
}

TEST(GridProgress, a_worker_that_moves_may_still_help) {
  GridProgress progress(2);
  progress.begin_to_wait();
  EXPECT_FALSE(progress.looked_in_vain(progress.generation()));
  progress.finish();  // the other one: nobody is left to help
  EXPECT_TRUE(progress.looked_in_vain(progress.generation()));
}

TEST(GridProgress, what_was_in_vain_before_a_move_may_not_be_after_it) {
  GridProgress progress(3);
  for (int i = 0; i < 3; ++i) progress.begin_to_wait();
  const auto before = progress.generation();
  EXPECT_FALSE(progress.looked_in_vain(before));
  EXPECT_FALSE(progress.looked_in_vain(before));
  progress.stop_waiting();  // the third one has moved
  progress.begin_to_wait();
  EXPECT_FALSE(progress.looked_in_vain(before));  // it looked too early
  const auto after = progress.generation();
  EXPECT_FALSE(progress.looked_in_vain(after));
  EXPECT_FALSE(progress.looked_in_vain(after));
  EXPECT_TRUE(progress.looked_in_vain(after));
}

}  // namespace
