/// Extensions by which Apple tells what a certificate is for. Many kinds of certificates lead to the same roots;
/// without these, any developer's certificate could sign purchases.
package enum AppleMarker {
    /// In the certificate that signs: App Store receipts and transactions.
    package static let receiptSigning = "1.2.840.113635.100.6.11.1"
    /// In the one above it: Apple Worldwide Developer Relations.
    package static let developerRelations = "1.2.840.113635.100.6.2.1"
    /// In the certificate that signs App Attest receipts.
    package static let attestationReceiptSigning = "1.2.840.113635.100.12.15"
}
