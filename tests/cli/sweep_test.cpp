// cambium plan and cambium sweep.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/cli/sweep_command.hpp"

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

class Sweep : public SweepCommand {
 protected:
  // Waits until a cell that had not begun before is training, or the program has ended.
  void wait_for_new_cell(StartedProgram& program, const std::string& out) const {
    const auto begun = [&] {
      std::size_t count = 0;
      if (std::filesystem::exists(at(out) / "cells"))
        for (const auto& cell : std::filesystem::directory_iterator(at(out) / "cells"))
          if (std::filesystem::exists(cell.path() / "sessions.jsonl")) ++count;
      return count;
    };
    const auto before = begun();
    while (program.running() && begun() == before) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
};

}  // namespace

TEST_F(Sweep, RunsEveryCellAndCollectsTheResults) {
  write(tiny);
  const auto ended = sweep("", "out");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("All 5 cells are done"));
  const auto cells = lines_of(at("out") / "cells.jsonl");
  ASSERT_EQ(cells.size(), 5u);
  for (const auto& cell : cells) {
    const auto folder = at("out") / "cells" / cell.at("cell").get<std::string>();
    const auto result = json_in(folder / "result.json");
    EXPECT_EQ(cell.at("config"), result.at("config"));
    EXPECT_EQ(cell.at("measures").at("accuracy").at("mean"), result.at("accuracy").at("mean"));
    const bool dense = result.at("config").at("method") == "dense";
    const auto& ticket = dense ? result : result.at("ticket");
    EXPECT_EQ(cell.at("measures").at("ticket.accuracy").at("mean"), ticket.at("accuracy").at("mean"));
    EXPECT_NEAR(cell.at("measures").at("accuracy").at("standard_deviation").get<double>(),
                result.at("accuracy").at("standard_deviation").get<double>(), 1e-15);
  }
  const auto seeds = text_of(at("out") / "seeds.csv");
  EXPECT_EQ(std::count(seeds.begin(), seeds.end(), '\n'), 1 + 5 * 2);
}

TEST_F(Sweep, DoesNothingForFinishedCells) {
  write(tiny);
  ASSERT_EQ(sweep("--only 1..2", "out").code, 0);
  const auto sessions_of = [&] {
    std::size_t count = 0;
    for (const auto& cell : std::filesystem::directory_iterator(at("out") / "cells"))
      count += lines_of(cell.path() / "sessions.jsonl").size();
    return count;
  };
  EXPECT_EQ(sessions_of(), 4u);
  ASSERT_EQ(sweep("", "out").code, 0);
  EXPECT_EQ(sessions_of(), 10u);
  ASSERT_EQ(sweep("", "out").code, 0);
  EXPECT_EQ(sessions_of(), 10u);
}

TEST_F(Sweep, TwoOnOneFolderShareTheCells) {
  write(tiny);
  ASSERT_EQ(sweep("", "alone").code, 0);
  StartedProgram first(sweep_command("", "shared")), second(sweep_command("--jobs 2", "shared"));
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_EQ(second.wait().code, 0);
  expect_same("alone", "shared");
  for (const auto& cell : std::filesystem::directory_iterator(at("shared") / "cells"))
    EXPECT_EQ(lines_of(cell.path() / "sessions.jsonl").size(), 2u) << cell.path();
}

TEST_F(Sweep, AFailedCellIsReportedAndRunsAgainOnlyWithRetry) {
  write(tiny);
  // A file in the folder of the second cell makes it fail.
  const auto name = planned_cells().at(1);
  const auto blocked_folder = at("out") / "cells" / name;
  std::filesystem::create_directories(blocked_folder);
  std::ofstream(blocked_folder / "notes.txt") << "mine";
  const auto failed = sweep("", "out");
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.errors, AllOf(HasSubstr(name), HasSubstr("notes.txt"), HasSubstr("--retry")));
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 4u);
  std::filesystem::remove_all(blocked_folder);
  const auto still = sweep("", "out");
  EXPECT_EQ(still.code, 3);
  EXPECT_FALSE(std::filesystem::exists(blocked_folder));
  EXPECT_EQ(sweep("--retry", "out").code, 0);
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 5u);
}

TEST_F(Sweep, InterruptedAndResumedEndsWithTheSameBytes) {
  write(tiny);
  ASSERT_EQ(sweep("", "straight").code, 0);
  for (const int number : {SIGTERM, SIGINT}) {
    StartedProgram program(sweep_command("--checkpoint-every 0", "stopped"));
    wait_for_new_cell(program, "stopped");
    program.signal(number);
    const auto ended = program.wait();
    EXPECT_TRUE(ended.code == 4 || ended.code == 0) << ended.code << ended.errors;
    if (ended.code == 4) {
      EXPECT_THAT(ended.errors, HasSubstr("resumes the sweep"));
    }
  }
  ASSERT_EQ(sweep("", "stopped").code, 0);
  expect_same("straight", "stopped");
}

TEST_F(Sweep, KilledAtRandomEndsWithTheSameBytes) {
  write(tiny);
  ASSERT_EQ(sweep("", "straight").code, 0);
  expect_same_after_kills(
      number_of_kills(30), [&](const std::string& out) { return sweep_command("--checkpoint-every 0.2", out); },
      "straight");
}

TEST_F(Sweep, ACellUsesTheBestCandidate) {
  write(selecting);
  const auto ended = sweep("", "out");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto cells = lines_of(at("out") / "cells.jsonl");
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_GT(cells[1].at("measures").at("average").at("mean"), cells[0].at("measures").at("average").at("mean"));
  EXPECT_EQ(cells[2].at("config").at("lr"), 0.1);
  EXPECT_EQ(cells[2].at("config").at("seeds"), "1..2");
}

TEST_F(Sweep, AChangedExperimentIsRefusedInTheSameFolder) {
  write(tiny);
  ASSERT_EQ(sweep("--only 1", "out").code, 0);
  write(std::string(tiny) + "# changed\n");
  const auto refused = sweep("", "out");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("Choose another folder"));
}

TEST_F(Sweep, WrongInputIsRefused) {
  write(tiny);
  EXPECT_THAT(sweep("--only 6", "out").errors, HasSubstr("1 to 5"));
  EXPECT_THAT(sweep("--only x", "out").errors, HasSubstr("1 to 5"));
  EXPECT_THAT(sweep("--scale big", "out").errors, HasSubstr("full or quick"));
  EXPECT_THAT(sweep("", "out", "none.toml").errors, HasSubstr("none.toml"));
  ASSERT_EQ(train(std::string(small) + " --epochs 1 --cycles 1", "run").code, 0);
  EXPECT_THAT(sweep("", "run").errors, HasSubstr("single run"));
}

TEST_F(Sweep, APlanShowsTheStateAndTheCostOfCells) {
  write(tiny);
  ASSERT_EQ(sweep("--only 1", "out").code, 0);
  const auto plan =
      cambium_program(fmt::format("plan {} --out {} --json", at("tiny.toml").string(), at("out").string()));
  ASSERT_EQ(plan.code, 0) << plan.errors;
  const auto cells = nlohmann::json::parse(plan.output).at("cells");
  ASSERT_EQ(cells.size(), 5u);
  EXPECT_EQ(cells[0].at("state"), "done");
  EXPECT_EQ(cells[1].at("state"), "to do");
  EXPECT_EQ(cells[0].at("steps"), 4 * 30);
  EXPECT_EQ(cells[1].at("steps"), 2 * 4 * 30);
  for (const auto& cell : cells) EXPECT_GT(cell.at("seconds"), 0.0);
  const auto none =
      cambium_program(fmt::format("plan {} --out {} --no-timing", at("tiny.toml").string(), at("nowhere").string()));
  EXPECT_EQ(none.code, 0) << none.errors;
  EXPECT_FALSE(std::filesystem::exists(at("nowhere")));
}
