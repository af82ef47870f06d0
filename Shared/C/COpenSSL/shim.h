#pragma once
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// What Swift cannot call: macros with casts, and variadic functions behind macros.

static inline EVP_PKEY *tollgate_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *tollgate_generate_p384(void) { return EVP_EC_gen("P-384"); }
static inline EVP_PKEY *tollgate_generate_rsa2048(void) { return EVP_RSA_gen(2048); }

static inline long tollgate_bio_memory(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// RFC 4514, with letters outside ASCII as they are.
static inline unsigned long tollgate_name_flags(void) { return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB; }

static inline STACK_OF(X509) *tollgate_stack_new(void) { return sk_X509_new_null(); }
static inline int tollgate_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *tollgate_stack_item(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
// The stack borrows its certificates: freeing it leaves them alone.
static inline int tollgate_stack_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline void tollgate_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
