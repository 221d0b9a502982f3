// The commands of `cambium`. Each function declares one command with its options and the action that it runs.
#pragma once

namespace cambium::cli {

class Command;

void add_devices(Command& root);
void add_kernels(Command& root);
void add_selftest(Command& root);
void add_bench(Command& root);
void add_tune(Command& root);
void add_data(Command& root);
void add_streams(Command& root);
void add_keys(Command& root);
void add_train(Command& root);
void add_inspect(Command& root);
void add_plan(Command& root);
void add_sweep(Command& root);
void add_reproduce(Command& root);
void add_report(Command& root);

}  // namespace cambium::cli
