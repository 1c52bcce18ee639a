/* Fingerprints of 64 bits: of bytes, in their order; of many things, in any order. */
#include "base/hash.h"

uint64_t rvm_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < count; k++)
        hash = (hash ^ at[k]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t rvm_hash_spread(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
