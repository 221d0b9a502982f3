#include "lab/results/cohort_table.hpp"

#include "base/csv_line.hpp"
#include "base/text_file.hpp"

namespace cambium {
namespace {

// The columns of measurements, in order. Their values may be missing.
struct Measurement {
  const char* name;
  double CohortRow::*value;
};
constexpr Measurement measurements[] = {{"activation_mean", &CohortRow::activation_mean},
                                        {"activation_sd", &CohortRow::activation_sd},
                                        {"gradient_mean", &CohortRow::gradient_mean},
                                        {"gradient_sd", &CohortRow::gradient_sd},
                                        {"activation_mean_8", &CohortRow::activation_mean_8},
                                        {"activation_sd_8", &CohortRow::activation_sd_8},
                                        {"gradient_mean_8", &CohortRow::gradient_mean_8},
                                        {"gradient_sd_8", &CohortRow::gradient_sd_8},
                                        {"output_mean", &CohortRow::output_mean},
                                        {"incoming_norm", &CohortRow::incoming_norm},
                                        {"outgoing_norm", &CohortRow::outgoing_norm},
                                        {"incoming_gradient_norm", &CohortRow::incoming_gradient_norm},
                                        {"outgoing_gradient_norm", &CohortRow::outgoing_gradient_norm},
                                        {"incoming_displacement", &CohortRow::incoming_displacement},
                                        {"outgoing_displacement", &CohortRow::outgoing_displacement},
                                        {"loss", &CohortRow::loss},
                                        {"logit_distance", &CohortRow::logit_distance}};

CohortRecord parse_line(CsvLine line) {
  CohortRecord record;
  auto& [run, row] = record;
  run.run = line.text("run");
  run.method = line.text("method");
  run.variant = line.text("variant");
  run.stream = line.text("stream");
  run.compactness = line.number<double>("compactness");
  row.seed = line.number<std::uint32_t>("seed");
  row.event = line.number<std::int32_t>("event");
  row.layer = line.text("layer");
  row.moment.point = line.one_of("time_point", all_time_points);
  row.moment.age_steps = line.number<std::int64_t>("age_steps");
  row.moment.age_epochs = line.number<double>("age_epochs");
  row.cohort = line.one_of("cohort", all_cohorts);
  row.size = line.number<std::int32_t>("size");
  for (const auto& [name, value] : measurements) row.*value = line.number_or_missing(name);
  row.batch = line.number<std::int32_t>("batch");
  line.end();
  return record;
}

}  // namespace

std::string cohort_header() {
  auto header = fmt::format("{},seed,event,layer,time_point,age_steps,age_epochs,cohort,size", run_columns);
  for (const auto& column : measurements) header += fmt::format(",{}", column.name);
  return header + ",batch\n";
}

std::string format(const RunColumns& run, const CohortRow& row) {
  auto line =
      fmt::format("{},{},{},{},{},{},{},{},{}", format(run), row.seed, row.event, row.layer, name_of(row.moment.point),
                  row.moment.age_steps, row.moment.age_epochs, name_of(row.cohort), row.size);
  for (const auto& column : measurements) line += fmt::format(",{}", table_number(row.*column.value));
  return line + fmt::format(",{}\n", row.batch);
}

std::string parity_header() {
  return fmt::format("{},seed,event,layer,quantity,batches,time_point,age_steps,age_epochs,value\n", run_columns);
}

std::string format(const RunColumns& run, const ParityRow& row) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", format(run), row.seed, row.event, row.layer, row.quantity,
                     row.batches, name_of(row.moment.point), row.moment.age_steps, row.moment.age_epochs,
                     table_number(row.value));
}

std::vector<CohortRecord> parse_cohorts(std::string_view text, const std::string& file) {
  std::vector<CohortRecord> records;
  for_each_csv_line(text, cohort_header(), file, "a table of cohorts",
                    [&](CsvLine line) { records.push_back(parse_line(line)); });
  return records;
}

std::vector<CohortRecord> read_cohorts(const std::filesystem::path& file) {
  return parse_cohorts(read_text_file(file), file.string());
}

}  // namespace cambium
