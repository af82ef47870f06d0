#include "bare_crypto.h"

#include <openssl/cms.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double bare_ecdsa_verify(const char *curve, double seconds) {
    double rate = -1;
    unsigned char digest[48], signature[160];
    size_t length = sizeof signature;
    EVP_PKEY *key = EVP_EC_gen(curve);
    EVP_PKEY_CTX *signer = key ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    EVP_PKEY_CTX *verifier = key ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    if (!signer || !verifier || RAND_bytes(digest, sizeof digest) != 1 || EVP_PKEY_sign_init(signer) != 1 ||
        EVP_PKEY_sign(signer, signature, &length, digest, 32) != 1 || EVP_PKEY_verify_init(verifier) != 1)
        goto done;
    long count = 0;
    double start = now();
    do {
        for (int i = 0; i < 16; i++, count++)
            if (EVP_PKEY_verify(verifier, signature, length, digest, 32) != 1) goto done;
    } while (now() - start < seconds);
    rate = (double)count / (now() - start);
done:
    EVP_PKEY_CTX_free(signer);
    EVP_PKEY_CTX_free(verifier);
    EVP_PKEY_free(key);
    return rate;
}

static int verify_once(const unsigned char *der, size_t length, X509_STORE *store) {
    const unsigned char *rest = der;
    CMS_ContentInfo *cms = d2i_CMS_ContentInfo(NULL, &rest, (long)length);
    BIO *content = BIO_new(BIO_s_mem());
    int is_good = cms && content && CMS_verify(cms, NULL, store, NULL, content, CMS_BINARY) == 1;
    BIO_free(content);
    CMS_ContentInfo_free(cms);
    return is_good;
}

double bare_cms_verify(
    const unsigned char *der, size_t length, const unsigned char *root, size_t root_length, long at, double seconds) {
    double rate = -1;
    X509 *anchor = d2i_X509(NULL, &root, (long)root_length);
    X509_STORE *store = X509_STORE_new();
    X509_VERIFY_PARAM *parameters = X509_VERIFY_PARAM_new();
    if (!anchor || !store || !parameters || X509_STORE_add_cert(store, anchor) != 1) goto done;
    X509_VERIFY_PARAM_set_time(parameters, (time_t)at);
    X509_VERIFY_PARAM_set_auth_level(parameters, 0);
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY);
    X509_STORE_set1_param(store, parameters);
    long count = 0;
    double start = now();
    do {
        for (int i = 0; i < 8; i++, count++)
            if (!verify_once(der, length, store)) goto done;
    } while (now() - start < seconds);
    rate = (double)count / (now() - start);
done:
    X509_VERIFY_PARAM_free(parameters);
    X509_STORE_free(store);
    X509_free(anchor);
    return rate;
}
