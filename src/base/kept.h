// Files of a cache: a checksum and what is kept, written beside their place and renamed into it, so
// that nobody sees half of one. A cache only saves time: what cannot be written is not kept, what
// is damaged is not there.
#ifndef BANKRUN_BASE_KEPT_H
#define BANKRUN_BASE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

enum { KEPT_CHECKSUM = 32 };      // bytes that stand before the data
enum { KEPT_KEY = 33 };           // characters of a key, its end included
#define KEPT_BYTES (256ull << 20) // kept at most in one folder

// The name of what is kept: a hash of all that it depends on.
struct kept_key;
struct kept_key *kept_key_begin(void);
void kept_key_add(struct kept_key *key, const void *bytes, size_t length);
void kept_key_end(struct kept_key *key, char text[KEPT_KEY]); // frees it

// The whole file: the data begin behind KEPT_CHECKSUM bytes. `length`: of all. Its time of last use
// is now. The caller frees it; NULL: it is not there, or damaged.
char *kept_load(const char *path, size_t *length);
bool kept_store(const char *path, const char *data, size_t length);
// The same without a checksum.
bool kept_store_text(const char *path, const char *data, size_t length);
// Drops what was not used for longest until `most` bytes are left. Called with what is stored.
void kept_drop_oldest(const char *folder, unsigned long long most);

#endif
