// Trains a network that grows its own units, with the library instead of the program, and prints its test accuracy.
//
//   train FOLDER [EPOCHS]
//
// The run is the same as `cambium train --data fashion-mnist --method grow ...`; FOLDER holds the files that
// lab/run/run_folder.hpp lists. Ctrl-C saves a checkpoint, and the same command continues from it.

#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "lab/config/config.hpp"
#include "lab/run/run.hpp"
#include "lab/run/run_folder.hpp"
#include "streams/data/data_set.hpp"
#include "sycl/device.hpp"

namespace {

int run(const std::string& path, const std::string& epochs) {
  // Keys and values as in a TOML file or in the flags of `cambium train`; the rest has defaults.
  const auto config = cambium::make_config({{"data", "fashion-mnist"},
                                            {"method", "grow"},
                                            {"hidden", "64"},
                                            {"cycles", "2"},
                                            {"epochs", epochs},
                                            {"seeds", "1..2"}});
  cambium::RunFolder folder(path, config);
  if (!std::filesystem::exists(folder.result())) {
    // The device that `cambium devices` marks with a star.
    const auto devices = cambium::find_devices("");
    cambium::Device device(devices.front(), {});
    auto data = cambium::load_data_set(config.stream().data, cambium::data_folders());
    if (cambium::train(device, config, std::move(data), folder, {}) == cambium::RunEnd::interrupted)
      return cambium::exit_interrupted;
  }

  std::ifstream file(folder.result());
  const auto result = nlohmann::json::parse(file);
  std::cout << "test accuracy, mean of the seeds: " << result.at("accuracy").at("mean") << "\n";
  return cambium::exit_done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: train FOLDER [EPOCHS]\n";
    return cambium::exit_input;
  }
  try {
    return run(argv[1], argc > 2 ? argv[2] : "2");
  } catch (const cambium::InputError& error) {
    std::cerr << error.what() << "\n";
    return cambium::exit_input;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return cambium::exit_failure;
  }
}
