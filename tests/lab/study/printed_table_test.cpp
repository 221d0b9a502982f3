// The reader of [table].

#include "lab/study/printed_table.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.hpp"

using namespace cambium;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::string cells = "[[cells]]\nstream = \"mnist\"\n";

std::optional<PrintedTable> parse(const std::string& table) {
  return read_table({.name = "test", .text = cells + table});
}

std::string error_of(const std::string& table) {
  try {
    parse(table);
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "no error";
}

}  // namespace

TEST(PrintedTable, RowsHaveKeysAndNumbersWithTheirIntervals) {
  const auto table = parse(R"([table]
printed = """
method | compactness | accuracy     | gain.accuracy
dense  |             | 49.66 ± 0.31 |
grow   | 0.2         | 52.3         | +11.5 ± 1
"""
)");
  ASSERT_TRUE(table);
  EXPECT_THAT(table->keys, ElementsAre("method", "compactness"));
  EXPECT_THAT(table->measures, ElementsAre("accuracy", "gain.accuracy"));
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(table->rows[0].keys, (CellKeys{{"method", "dense"}, {"compactness", ""}}));
  EXPECT_EQ(table->rows[0].numbers[0]->value, 49.66);
  EXPECT_EQ(table->rows[0].numbers[0]->half_width, 0.31);
  EXPECT_FALSE(table->rows[0].numbers[1]);
  EXPECT_TRUE(std::isnan(table->rows[1].numbers[0]->half_width));
  EXPECT_EQ(table->rows[1].numbers[1]->value, 11.5);
}

TEST(PrintedTable, NormalIntervalsAreConvertedToStudentsT) {
  const auto table =
      parse("[table]\nquantile = 1.96\nprinted = \"\"\"\nmethod | accuracy\ndense | 50 ± 0.27\n\"\"\"\n");
  EXPECT_NEAR(table->rows[0].numbers[0]->half_width, 0.27 * 2.26216 / 1.96, 1e-4);
}

TEST(PrintedTable, ATableWithoutPrintedValuesHasColumns) {
  EXPECT_FALSE(parse(""));
  const auto table = parse("[table]\ncolumns = [\"accuracy\", \"ticket.taa\"]\n");
  EXPECT_THAT(table->measures, ElementsAre("accuracy", "ticket.taa"));
  EXPECT_TRUE(table->rows.empty());
}

TEST(PrintedTable, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("[table]\ncolums = []\n"), AllOf(HasSubstr("test.toml line 4"), HasSubstr("columns?")));
  EXPECT_THAT(error_of("[table]\n"), HasSubstr("either columns or printed"));
  EXPECT_THAT(error_of("[table]\ntest = \"f\"\ncolumns = [\"accuracy\"]\n"), HasSubstr("welch"));
  EXPECT_THAT(error_of("[table]\nquantile = 0\ncolumns = [\"accuracy\"]\n"), HasSubstr("above 0"));
  const std::string start = "[table]\nprinted = \"\"\"\nmethod | accuracy\n";
  EXPECT_THAT(error_of(start + "dense\n\"\"\"\n"), AllOf(HasSubstr("line 6"), HasSubstr("1 fields")));
  EXPECT_THAT(error_of(start + "dense | many\n\"\"\"\n"), AllOf(HasSubstr("line 6"), HasSubstr("'many'")));
  EXPECT_THAT(error_of(start + "\"\"\"\n"), HasSubstr("no rows"));
  EXPECT_THAT(error_of("[table]\nprinted = \"\"\"\naccuracy | method\n\"\"\"\n"), HasSubstr("line 5"));
}
