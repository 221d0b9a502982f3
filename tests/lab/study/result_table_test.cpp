// Result tables of experiments without printed values.

#include "lab/study/result_table.hpp"

#include <gmock/gmock.h>

#include "tests/lab/study/made_results.hpp"

using namespace cambium;
using testing::HasSubstr;

namespace {

class ResultTable : public MadeFolder {
 protected:
  Experiment parse(const std::string& dense = "") {
    return parse_experiment("[all]\nstream = \"fashion-mnist\"\n[[cells]]\nmethod = \"dense\"\n" + dense +
                                "[[cells]]\nmethod = [\"grow\", \"prune\"]\ncompactness = 0.2\n[table]\ncolumns = "
                                "[\"accuracy\", \"ticket.accuracy\"]\n",
                            "test.toml", "test", Scale::full, [](const std::string&) { return ""; });
  }
  // DENSE, GROW and PRUNE reach 88, 84 and 83 %; GROW's ticket reaches 86 %.
  Findings made(const Experiment& experiment, double pruned_ticket) {
    const std::vector<MadeMeasures> measures{{{"accuracy", {0.88, 0.01}}},
                                             {{"accuracy", {0.84, 0.01}}, {"ticket.accuracy", {0.86, 0.01}}},
                                             {{"accuracy", {0.83, 0.01}}, {"ticket.accuracy", {pruned_ticket, 0.01}}}};
    for (std::size_t i = 0; i < 3; ++i)
      make_result(folder, experiment.cells[i].name, experiment.cells[i].config, measures[i]);
    return {experiment, folder};
  }
};

}  // namespace

TEST_F(ResultTable, HasARowPerCellWithTheKeysInWhichCellsDiffer) {
  const auto experiment = parse();
  EXPECT_EQ(to_text(*read_table(experiment), experiment, made(experiment, 0.85)),
            "method  compactness  accuracy      ticket accuracy\n"
            "DENSE                88.00 ± 1.00  88.00 ± 1.00\n"
            "GROW    20 %         84.00 ± 1.00  86.00 ± 1.00\n"
            "PRUNE   20 %         83.00 ± 1.00  85.00 ± 1.00\n");
}

TEST_F(ResultTable, MarksCellsThatAreNotDone) {
  const auto experiment = parse();
  EXPECT_THAT(to_text(*read_table(experiment), experiment, Findings(experiment, folder)), HasSubstr("not done"));
  EXPECT_EQ(conclusion(Findings(experiment, folder)), "");
}

TEST_F(ResultTable, TheConclusionFollowsFromTheNumbers) {
  const auto experiment = parse();
  EXPECT_THAT(conclusion(made(experiment, 0.855)), testing::AllOf(HasSubstr("GROW reaches 84.0 % and PRUNE 83.0 %"),
                                                                  HasSubstr("no significant difference")));
  EXPECT_THAT(conclusion(made(experiment, 0.80)), HasSubstr("the grown ticket is significantly better"));
  EXPECT_THAT(conclusion(made(experiment, 0.90)), HasSubstr("the pruned ticket is significantly better"));
}

TEST_F(ResultTable, ExperimentsWithRandomUnitsHaveNoConclusion) {
  const auto experiment = parse("masks = \"random\"\ncompactness = 0.2\n");
  EXPECT_EQ(conclusion(made(experiment, 0.85)), "");
}
