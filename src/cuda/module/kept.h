// PTX that compilers inside of packages were told to keep in a folder.
#ifndef BANKRUN_CUDA_MODULE_KEPT_H
#define BANKRUN_CUDA_MODULE_KEPT_H

// The kept text that a cubin's was made of: the same code, with its lines. Caller frees; NULL: it
// was not kept.
char *cuda_kept_ptx(const char *text);

#endif
