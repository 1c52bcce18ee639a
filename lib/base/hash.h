/* Fingerprints of 64 bits: of bytes, in their order; of many things, in any order. */
#ifndef RVM_HASH_H
#define RVM_HASH_H

#include <stddef.h>
#include <stdint.h>

/* What a fingerprint begins with. */
#define RVM_HASH_START UINT64_C(0xcbf29ce484222325)

/* `hash` goes on over these bytes: FNV-1a, that of Fowler, Noll and Vo. */
uint64_t rvm_hash_bytes(uint64_t hash, const void *bytes, size_t count);
/* The number spread over all bits, one to one, so that sums of such numbers modulo 2^64 tell sets
 * apart: the finaliser of splitmix64 (Steele, Lea and Flood 2014). */
uint64_t rvm_hash_spread(uint64_t x);

#endif
