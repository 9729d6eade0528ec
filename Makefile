# The short way to meson. `make` builds the product alone, `make demo` shows, `make test` tests everything.
export BUILD ?= build
export PREFIX ?= /usr/local
export DESTDIR

.PHONY: aarch64 all bench wheel tarball deb demo explorer site gpu python-examples test quick format install uninstall clean

# A terminal sees how far it is; a log sees what went wrong.
ninja = ninja -C "$$BUILD" $$([ -t 1 ] || echo --quiet)

all:
	@[ -f "$$BUILD/build.ninja" ] || meson setup "$$BUILD" --prefix "$$PREFIX" >/dev/null || \
	  meson setup "$$BUILD" --prefix "$$PREFIX"
	@$(ninja)

demo:
	@tools/install-deps.sh
	@$(MAKE) --no-print-directory all
	@tools/get-nvcc.sh "$$BUILD"
	"$$BUILD"/bankrun gallery/transpose.cu

test:
	@tools/install-deps.sh tests
	@tools/get-nvcc.sh "$$BUILD" || true
	@python3 tests/all.py --build "$$BUILD"

quick: all
	@python3 tests/run.py --build "$$BUILD"

bench: all
	@$(ninja) benches
	@tools/install-deps.sh pocl-opencl-icd ocl-icd-opencl-dev oclgrind
	@tools/get-nvcc.sh "$$BUILD" || true
	python3 bench/run.py --build "$$BUILD" --save

# Needs a GPU, nvcc and ncu; says so where one is missing.
gpu: all
	@python3 tools/gpu_gallery.py --build "$$BUILD"

# The page and the module of docs/explorer, and the module of the HTML report, anew; says so where WebAssembly's compiler is missing.
explorer:
	@python3 tools/build_explorer.py || [ $$? = 77 ]

# The documentation as a site, in build/site; every link of it is looked at.
site:
	@tools/install-deps.sh mkdocs
	@python3 tools/build_site.py "$$BUILD/site"

# The examples of examples/python, with packages that PyPI has: about 8 GB, in a virtual environment in the build folder.
python-examples: all
	@tools/get-python-packages.sh "$$BUILD"
	@BANKRUN="$$BUILD/bankrun" BANKRUN_PYTHON="$$BUILD/python-packages/bin/python" python3 tests/cli/python_packages.py

# Cross-built for 64-bit Arm, and tested in qemu-user; says so where compiler, libraries or emulator are missing.
aarch64:
	@tools/aarch64.sh "$$BUILD" || [ $$? = 77 ]

format:
	clang-format -i $$(find src include tests -name '*.[ch]')

# What was installed, and which folders were made for it, is kept for `make uninstall`. A prefix that
# is not named here is the one that the build folder was set up with.
install: all
	@$(if $(filter-out file,$(origin PREFIX)),meson configure "$$BUILD" --prefix "$$PREFIX")
	@meson install -C "$$BUILD" --no-rebuild --quiet
	@cat "$$BUILD/meson-logs/install-log.txt" >>"$$BUILD/installed.txt"

uninstall:
	@tools/uninstall.sh "$$BUILD/installed.txt" "$$DESTDIR"

# The Python package and its sources in dist/ (pip install dist/bankrun-*.whl); says so where PyPI cannot be reached.
wheel:
	@tools/install-deps.sh
	@python3 tools/build_wheel.py --build "$$BUILD" || [ $$? = 77 ]

# The same as an archive that runs from wherever it is unpacked, in dist/.
tarball: wheel
	@python3 tools/build_tarball.py dist/bankrun-*-py3-none-*.whl

# The Debian packages of what is committed, and their source package, in dist/; lintian looks at them.
deb:
	@tools/install-deps.sh debhelper dh-python fakeroot libcmocka-dev lintian xz-utils git
	@tools/build_deb.sh --build "$$BUILD"

clean:
	rm -rf "$$BUILD" "$$BUILD"-*
