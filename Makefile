# make demo    set everything up, build, and run the main job
# make test    set everything up, build, and run the tests
#
# The other targets are for people who work on Cambium; `make help` lists them.

# An installed oneAPI or intel/llvm build to use instead of the pinned wheels: make ONEAPI_ROOT=/opt/intel/oneapi
ONEAPI_ROOT ?=
ENVIRONMENT := build/oneapi
ROOT := $(abspath $(or $(ONEAPI_ROOT),$(ENVIRONMENT)))
CAMBIUM := build/release/cambium
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.sycl')

.PHONY: help demo test setup setup-tests build program install debug asan sycl-only portability portability-quick machine-code \
        bench peers format check-format clean clean-all

help:
	@echo "make demo          set up, build, run the main job"
	@echo "make test          set up, build, run the tests"
	@echo "make program       set up and build build/release/cambium"
	@echo "make build         the same, and the tests"
	@echo "make install PREFIX=DIR   install the program, and the library for C++ programs (examples/train)"
	@echo "make debug         run the tests with kernels that check every index"
	@echo "make asan          run a selection of them with the host code under sanitizers, too"
	@echo "make sycl-only     build the program with DPC++ alone, as for NVIDIA and AMD GPUs, and run its self-test"
	@echo "make portability   run on PoCL, a second OpenCL runtime, and compare with Intel's; then machine-code"
	@echo "make portability-quick   the part of it that every CI run does"
	@echo "make machine-code  compile every kernel for eight GPUs of three vendors and check registers, spills and stack"
	@echo "make bench         every benchmark of this machine, as tables and as JSON in build/bench"
	@echo "make peers         install PyTorch and JAX into build/peers, to check and measure against (docs/peers.md)"
	@echo "make format        format the sources; check-format only checks"
	@echo "make clean         remove all builds, keeping the downloaded environment"
	@echo "make clean-all     remove everything that make built or downloaded, but not results"

setup:
	@setup/install.sh $(if $(ONEAPI_ROOT),,$(ENVIRONMENT))

# The same, and the packages that only the tests need.
setup-tests:
	@setup/install.sh --tests $(if $(ONEAPI_ROOT),,$(ENVIRONMENT))

# configure_and_build PRESET [TARGETS]; without targets: everything, and the tests.
define configure_and_build
	@mkdir -p build
	@cmake --preset $(1) -DCAMBIUM_ONEAPI_ROOT=$(ROOT) -DBUILD_TESTING=$(if $(2),$(if $(filter cambium_tests,$(2)),ON,OFF),ON) --log-level=WARNING >build/configure-$(1).log 2>&1 || { cat build/configure-$(1).log; exit 1; }
	@cmake --build --preset $(1) $(if $(2),--target $(2))
endef

build: setup-tests
	$(call configure_and_build,release)

program: setup
	$(call configure_and_build,release,cambium)

demo: program
	$(CAMBIUM) devices
	$(CAMBIUM) sweep experiments/demo.toml --out results/demo
	@page=$$($(CAMBIUM) report results/demo) && echo && echo "The report, to be opened in a browser: $$page"

test: build
	ctest --preset release

# The sanitizer pass runs a selection of the tests; see tests/CMakeLists.txt.
debug asan: setup-tests
	$(call configure_and_build,$@)
	ctest --preset $@

install: program
	@cmake --build --preset release --target cambium_lab_run cambium >/dev/null
	cmake --install build/release --prefix $(or $(PREFIX),$(error name a folder: make install PREFIX=/opt/cambium))

sycl-only: setup
	$(call configure_and_build,release,cambium-sycl-only)
	tests/sycl_only.sh build/release/cambium-sycl-only

portability: setup-tests
	$(call configure_and_build,release,cambium cambium_tests)
	python3 tests/portability/pocl.py --oneapi $(ROOT)
	python3 tests/portability/machine_code.py

portability-quick: program
	python3 tests/portability/pocl.py --quick --oneapi $(ROOT)
	python3 tests/portability/machine_code.py

machine-code: program
	python3 tests/portability/machine_code.py

bench: build
	@mkdir -p build/bench
	$(CAMBIUM) bench launch --json build/bench/launch.json
	$(CAMBIUM) bench gemm --json build/bench/gemm.json
	$(CAMBIUM) bench conv --json build/bench/conv.json
	$(CAMBIUM) bench step --json build/bench/step.json
	$(CAMBIUM) bench edit --json build/bench/edit.json

peers:
	@setup/install.sh build/peers peer

format: setup-tests
	clang-format -i $(SOURCES)

check-format: setup-tests
	@clang-format --dry-run --Werror $(SOURCES)

clean:
	rm -rf build/release build/debug build/asan build/portability build/bench build/configure-*.log

clean-all:
	rm -rf build
