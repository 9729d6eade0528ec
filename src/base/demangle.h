// C++ symbols in the words of the source: "_Z3addPfi" is "add(float*, int)".
#ifndef BANKRUN_BASE_DEMANGLE_H
#define BANKRUN_BASE_DEMANGLE_H

// Caller frees. The symbol itself when it is not mangled.
char *base_demangle(const char *symbol);
// The same, but NULL when it is not mangled.
char *base_demangle_or_null(const char *symbol);

// Cuts the parameters off: of "add<4>(float*)" it leaves "add<4>". Returns the text.
char *base_drop_parameters(char *name);

#endif
