// The arguments of SLURM's programs, and the parsers of their output.

#include "lab/sweep/slurm_queue.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/process.hpp"
#include "lab/sweep/slurm_script.hpp"

using namespace cambium;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SlurmQueue, ConsecutiveNumbersBecomeARange) {
  EXPECT_EQ(array_indices({1, 2, 3, 7, 9, 10}), "1-3,7,9-10");
  EXPECT_EQ(array_indices({4}), "4");
}

TEST(SlurmQueue, AJobNumberMayBeFollowedByACluster) {
  EXPECT_EQ(parse_submission("123\n"), 123u);
  EXPECT_EQ(parse_submission("123;north\n"), 123u);
  for (const auto* text : {"", "\n", "0\n", "-1\n", "12x\n", "Submitted batch job 12\n", "12\n13\n", " 12\n"})
    EXPECT_THROW(parse_submission(text), EnvironmentError) << text;
}

TEST(SlurmQueue, TasksAreParsedAndOtherLinesAreErrors) {
  using enum SlurmTask::State;
  EXPECT_THAT(parse_queue(""), ElementsAre());
  EXPECT_THAT(parse_queue("12 3 PENDING\n12 4 RUNNING\n7 1 COMPLETING\n7 2 REQUEUED\n"),
              ElementsAre(SlurmTask{12, 3, queued}, SlurmTask{12, 4, running}, SlurmTask{7, 1, ending},
                          SlurmTask{7, 2, queued}));
  for (const auto* text : {"12\n", "12 3\n", "12 N/A RUNNING\n", "12 [1-3] PENDING\n", "x 3 PENDING\n",
                           "12 3 PENDING more\n", "0 3 PENDING\n", "\n"})
    EXPECT_THROW(parse_queue(text), EnvironmentError) << text;
}

TEST(SlurmQueue, NamesHaveOnlyCharactersThatSlurmAccepts) { EXPECT_EQ(slurm_name("a,b %c_d-1.2"), "a_b__c_d-1.2"); }

TEST(SlurmScript, PassesArgumentsUnchanged) {
  const auto script = slurm_script({"printf", "%s|", "it's", "$HOME `x` \"y\"", ""});
  EXPECT_EQ(run_command({"env", "SLURM_ARRAY_TASK_ID=3", "sh"}, {.input = script}).output, "it's|$HOME `x` \"y\"||3|");
}

TEST(SlurmScript, ExitsWithTheCodeOfTheProgram) {
  EXPECT_EQ(
      run_command({"env", "SLURM_ARRAY_TASK_ID=3", "sh"}, {.input = slurm_script({"sh", "-c", "exit $0"})}).exit_code,
      3);
}
