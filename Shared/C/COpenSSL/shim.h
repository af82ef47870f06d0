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

// The key at an uncompressed point of "P-256" or "P-384"; NULL if there is none. In C, because parameters keep the
// pointers to their names, and a name out of a Swift string is gone once it has been handed over.
static inline EVP_PKEY *tollgate_ec_key(const char *group, const unsigned char *point, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (unsigned char *)point, count),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    if (context && EVP_PKEY_fromdata_init(context) == 1) EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}
