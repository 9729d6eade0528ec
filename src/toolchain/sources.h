// Source texts that a program makes and compiles while it runs: PTX names them as files, which are
// not there, or not for long. They are kept in files below BANKRUN_SOURCES, so that a report can
// show them.
#ifndef BANKRUN_TOOLCHAIN_SOURCES_H
#define BANKRUN_TOOLCHAIN_SOURCES_H

// PTX that names a source text which is in no file: keeps the text in one, and has the PTX name
// that. `name`: what the compiler was told that the text is called. Caller frees; the same text
// where there is nothing to do.
char *toolchain_name_source(const char *ptx, const char *name, const char *source);

// PTX that names files in the folder for temporary files: keeps what they hold, and has the PTX
// name that. Caller frees.
char *toolchain_keep_sources(const char *ptx);

// Keeps a text in a file of this name. Caller frees the path; NULL: there is no place.
char *toolchain_keep_text(const char *name, const char *text);

#endif
