#include "lab/cohort_table.hpp"

#include <charconv>
#include <fstream>
#include <iterator>

namespace cambium {
namespace {

// Columns that are measurements, in the order in which they stand; they may be missing.
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

// One line, field by field.
class Line {
 public:
  Line(std::string_view text, const std::string& file, std::size_t number)
      : text_(text), file_(file), number_(number) {}

  std::string_view text(const char* column) {
    if (ended_) throw_input_error("{}:{}: it ends before the column {}; {}", file_, number_, column, advice);
    const auto comma = text_.find(',');
    const auto field = text_.substr(0, comma);
    ended_ = comma == std::string_view::npos;
    text_ = ended_ ? std::string_view() : text_.substr(comma + 1);
    return field;
  }
  template <class T>
  T number(const char* column) {
    const auto field = text(column);
    T value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) refuse(column, field);
    return value;
  }
  double number_or_missing(const char* column) {
    if (!ended_ && (text_.empty() || text_.front() == ',')) return text(column), missing;
    return number<double>(column);
  }
  template <class T, std::size_t count>
  T one_of(const char* column, const T (&all)[count]) {
    const auto field = text(column);
    for (const T value : all)
      if (name_of(value) == field) return value;
    refuse(column, field);
  }
  void end() const {
    if (!ended_) throw_input_error("{}:{}: '{}' follows the last column; {}", file_, number_, text_, advice);
  }

 private:
  [[noreturn]] void refuse(const char* column, std::string_view field) const {
    throw_input_error("{}:{}: the column {} cannot be '{}'; {}", file_, number_, column, field, advice);
  }

  static constexpr const char* advice = "the file is damaged, or not a table of cohorts";

  std::string_view text_;
  const std::string& file_;
  std::size_t number_;
  bool ended_ = false;
};

CohortRecord parse_line(Line line) {
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
  const std::string header = cohort_header();
  if (!text.starts_with(header))
    throw_input_error("{}:1: the columns are not those of a table of cohorts, which begins with {}", file,
                      header.substr(0, header.size() - 1));
  text.remove_prefix(header.size());
  for (std::size_t number = 2; !text.empty(); ++number) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) throw_input_error("{}:{}: the line is cut short", file, number);
    records.push_back(parse_line(Line(text.substr(0, end), file, number)));
    text.remove_prefix(end + 1);
  }
  return records;
}

std::vector<CohortRecord> read_cohorts(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw_input_error("{}: it cannot be read", file.string());
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_cohorts(text, file.string());
}

}  // namespace cambium
