#pragma once

#include <stddef.h>

// What OpenSSL reaches in C when nothing is in its way, on one thread, for a tenth of a second and more: the limits that
// verification is compared with. All give operations a second; negative if one of them failed.

/// Checks one ECDSA signature over and over. `curve`: `P-256` or `P-384`.
double bare_ecdsa_verify(const char *curve, double seconds);

/// Parses and verifies one CMS SignedData, chain included, as `openssl cms -verify -purpose any` does.
double bare_cms_verify(
    const unsigned char *der, size_t length, const unsigned char *root, size_t root_length, long at, double seconds);
