# The short way to meson. `make` builds, `make demo` shows, `make test` tests everything.
BUILD ?= build
PREFIX ?= /usr/local

.PHONY: all bench deps demo gpu test quick format install clean

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup $(BUILD) --prefix $(PREFIX) >/dev/null || \
	  { meson setup $(BUILD) --prefix $(PREFIX); exit 1; }

deps:
	@tools/install-deps.sh

demo: deps
	@$(MAKE) --no-print-directory all
	@tools/get-nvcc.sh $(BUILD)
	$(BUILD)/bankrun gallery/transpose.cu

test: deps
	@tools/get-nvcc.sh $(BUILD) || true
	@python3 tests/all.py --build $(BUILD)

quick: all
	@python3 tests/run.py --build $(BUILD)

bench: all
	@tools/install-deps.sh pocl-opencl-icd ocl-icd-opencl-dev oclgrind
	@tools/get-nvcc.sh $(BUILD) || true
	python3 bench/run.py --build $(BUILD) --save

# Needs a GPU, nvcc and ncu; says so where one is missing.
gpu: all
	@python3 tools/gpu_gallery.py --build $(BUILD)

format:
	clang-format -i $$(find src include tests -name '*.[ch]')

install: all
	meson configure $(BUILD) --prefix $(PREFIX)
	meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-*
