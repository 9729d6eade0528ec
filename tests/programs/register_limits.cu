// The most registers that a program gives the driver's linker and compiler, for all or for one
// input: what counts, and that 0 is no limit but an error.
// bankrun: -lcuda
#include <cstdio>
#include <cuda.h>
#include <string>

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}

// 100 values that are alive at once.
static std::string code_of(const char *kernel) {
    std::string text =
        std::string(".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry ") + kernel +
        "(.param .u64 p)\n{\n.reg .f32 %f<100>;\n.reg .u64 %r1;\n"
        "ld.param.u64 %r1, [p];\n";
    for (int i = 0; i < 100; i++)
        text += "ld.volatile.global.f32 %f" + std::to_string(i) + ", [%r1+" +
                std::to_string(4 * i) + "];\n";
    for (int i = 0; i < 100; i++)
        text += "st.volatile.global.f32 [%r1+" + std::to_string(4 * i) + "], %f" +
                std::to_string(99 - i) + ";\n";
    return text + "ret;\n}\n";
}

struct limit { // -1: none is given
    CUjit_option option;
    void *value;
    int most;
    limit(int most) : option(CU_JIT_MAX_REGISTERS), value((void *)(size_t)most), most(most) {}
    unsigned count() const {
        return most >= 0;
    }
};

static void tell(CUmodule module, const char *kernel) {
    CUfunction function;
    int registers = 0;
    cuModuleGetFunction(&function, module, kernel);
    cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    printf(registers > 64 ? "  %s: not limited\n" : "  %s: %d\n", kernel, registers);
}

static void link(limit all, limit first, limit second) {
    CUlinkState state;
    CUmodule module;
    void *image;
    size_t bytes;
    limit *limits[] = {&first, &second};
    const char *names[] = {"a", "b"};
    printf("linked: %d, inputs %d and %d\n", all.most, first.most, second.most);
    CUresult result = cuLinkCreate(all.count(), &all.option, &all.value, &state);
    for (int i = 0; i < 2 && result == CUDA_SUCCESS; i++) {
        std::string code = code_of(names[i]);
        result = cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)code.c_str(), code.size() + 1,
                               names[i], limits[i]->count(), &limits[i]->option, &limits[i]->value);
    }
    if (result != CUDA_SUCCESS) {
        printf("  %s\n", name_of(result));
        return;
    }
    cuLinkComplete(state, &image, &bytes);
    cuModuleLoadData(&module, image);
    tell(module, "a");
    tell(module, "b");
    cuModuleUnload(module);
    cuLinkDestroy(state);
}

static void load(limit most) {
    CUmodule module;
    printf("loaded: %d\n", most.most);
    CUresult result =
        cuModuleLoadDataEx(&module, code_of("a").c_str(), most.count(), &most.option, &most.value);
    if (result == CUDA_SUCCESS)
        tell(module, "a");
    else
        printf("  %s\n", name_of(result));
}

int main() {
    CUcontext context;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    link(-1, -1, -1);
    link(64, -1, -1);
    link(-1, 64, -1);
    link(-1, -1, 40);
    link(64, 40, -1);
    link(40, 64, -1);
    link(40, 0, -1);
    link(0, -1, -1);
    load(-1);
    load(40);
    load(0);
    return 0;
}
