#include "cli/shared_flags.hpp"

#include "cli/command_line.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {

void add_device_flags(Command& command, DeviceOptions& options, bool several) {
  std::string help =
      "Device to use: a number, a selector or part of a name from `cambium devices` (0, gpu, cpu, level_zero:gpu:1, "
      "pocl), or a part of a device (0.1)";
  if (several) help += ". Several devices, separated by commas (0,1), each train a share of the seeds";
  help += ". Default: the best GPU that ONEAPI_DEVICE_SELECTOR allows, else the CPU";
  command.add_option("--device", options.device, help, {.value = several ? "NAME[,NAME...]" : "NAME"});
  command.add_option_with(
      "--graph",
      [&options](const std::string& use) {
        options.graph = use == "on" ? GraphUse::on : use == "off" ? GraphUse::off : GraphUse::automatic;
      },
      "Submit each training step as one recorded SYCL graph; results are the same. auto: on GPUs, if the first steps "
      "run faster that way; on: always, an error where the device cannot; off: never. Default: auto",
      {.choices = {"auto", "on", "off"}});
  command.add_flag_with(
      "--no-cache", [&options] { options.kernel_cache = false; },
      "Compile all kernels again, and neither read nor write the kernel cache");
  command.add_option_with("--kernels",
                          [&options](const std::string& kind) {
                            options.kernels = kind == "gpu" ? PortableKernels::gpu : PortableKernels::cpu;
                          },
                          "Variant of the portable kernels. Default: the kind of the device",
                          {.choices = {"cpu", "gpu"}});
}

void add_data_folder_flag(Command& command, std::vector<std::string>& folders) {
  command.add_option(
      "--data-dir", folders,
      "Search this folder for data sets first; repeatable. Further folders: CAMBIUM_DATA, separated by ':'",
      {.value = "DIR", .list = ListForm::repeated});
}

}  // namespace cambium::cli
