/// An attestation that is what it should be, and what is to be thought of the receipt in it.
public struct VerifiedAttestation: Sendable {
    /// What it says.
    public let attestation: Attestation
    /// The verdict on the receipt alone: that of a good attestation may have been cut, changed or exchanged on its way,
    /// and is then not to be kept for the fraud assessment.
    public let receipt: Verdict<AttestationReceipt>
}
