// Whole calls, as the faces make them: see cuda_enter. Lock held.
#ifndef BANKRUN_CUDA_MODULE_CALLS_H
#define BANKRUN_CUDA_MODULE_CALLS_H

#include "cuda/module/module.h"

// function.c
enum cuda_error cuda_func_set_cache_config(struct cuda_state *state, const void *stub,
                                           unsigned config);
enum cuda_error cuda_func_set_shared_mem_config(struct cuda_state *state, const void *stub,
                                                unsigned config);
enum cuda_error cuda_func_get_name(struct cuda_state *state, const char **name, const void *stub);
enum cuda_error cuda_func_get_param_info(struct cuda_state *state, const void *stub, size_t index,
                                         size_t *offset, size_t *bytes);
enum cuda_error cuda_kernel_of_stub(struct cuda_state *state, void **kernel, const void *stub);
enum cuda_error cuda_get_kernel(struct cuda_state *state, void **kernel, const void *stub);

// library.c
enum cuda_error cuda_library_load_data(struct cuda_state *state, void **library, const void *code,
                                       int *options, void **values, unsigned count,
                                       int *library_options, void **library_values,
                                       unsigned library_count);
enum cuda_error cuda_library_load_from_file(struct cuda_state *state, void **library,
                                            const char *path, int *options, void **values,
                                            unsigned count, int *library_options,
                                            void **library_values, unsigned library_count);
enum cuda_error cuda_library_unload(struct cuda_state *state, void *library);
enum cuda_error cuda_library_get_kernel(struct cuda_state *state, void **kernel, void *library,
                                        const char *name);
enum cuda_error cuda_library_get_kernel_count(struct cuda_state *state, unsigned *count,
                                              void *library);
enum cuda_error cuda_library_enumerate_kernels(struct cuda_state *state, void **kernels,
                                               unsigned most, void *library);
enum cuda_error cuda_library_get_global(struct cuda_state *state, void **address, size_t *bytes,
                                        void *library, const char *name);

// symbol.c
enum cuda_error cuda_copy_symbol(struct cuda_state *state, const void *symbol, size_t offset,
                                 void *other, size_t count, enum cuda_memcpy_kind kind,
                                 bool to_symbol, cuda_stream stream, bool is_queued);
enum cuda_error cuda_symbol_look_up(struct cuda_state *state, const void *symbol, void **address,
                                    size_t *bytes);

enum cuda_error cuda_function_attributes(struct cuda_state *state, const void *stub,
                                         struct cuda_function_attributes *out);
enum cuda_error cuda_function_set(struct cuda_state *state, const void *stub,
                                  enum cuda_function_attribute attribute, int value, int device);

#endif
