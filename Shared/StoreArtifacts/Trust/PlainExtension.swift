internal import Crypto

/// An extension of a ``PlainCertificate``: one of the few that say nothing against it, or one of Apple's own.
struct PlainExtension {
    /// The object identifier in dotted form.
    let identifier: String
    let isCritical: Bool
    let value: ArraySlice<UInt8>

    /// Whether a certificate may have it that this authority has signed: no authority, no signer of certificates, not of
    /// another authority, and nothing critical that nobody here knows (RFC 5280 § 4.2).
    func isHarmless(below authority: Certificate) -> Bool {
        switch identifier {
        case "2.5.29.19": value.elementsEqual(Self.isNoAuthority)
        case "2.5.29.15": isKeyUsageWithoutCertificates
        case "2.5.29.37": !isCritical && isListOfApplesPurposes
        case "2.5.29.14": !isCritical && value.count == 22 && value.starts(with: [0x04, 0x14])
        case "2.5.29.35":
            !isCritical
                && authority.subjectKeyIdentifier.map { $0.count == 20 && value.elementsEqual(Self.keyName + $0) }
                    ?? false
        default: !isCritical && identifier.hasPrefix(ObjectIdentifier.applePrefix)
        }
    }

    /// Basic constraints in DER, where `FALSE` is left out.
    private static let isNoAuthority: [UInt8] = [0x30, 0x00]
    /// What stands before the 20 bytes of the authority's key identifier, if there is nothing else.
    private static let keyName: [UInt8] = [0x30, 0x16, 0x80, 0x14]

    /// One byte of bits, not all of them 0, without `keyCertSign`.
    private var isKeyUsageWithoutCertificates: Bool {
        guard value.count == 4, value.starts(with: [0x03, 0x02]), let bits = value.last else { return false }
        let unused = value.dropFirst(2).first ?? 8
        return unused < 8 && bits != 0 && bits & 0x04 == 0 && bits & ((1 << unused) - 1) == 0
    }

    private var isListOfApplesPurposes: Bool {
        var reader = DERReader(Array(value))
        guard var list = try? reader.enter(.sequence), reader.isAtEnd, !list.isAtEnd else { return false }
        while !list.isAtEnd {
            guard let purpose = try? list.plainIdentifier(), ObjectIdentifier.dotted(apple: purpose) != nil else {
                return false
            }
        }
        return true
    }
}

extension DERReader {
    /// The extensions of a certificate; throws if there is one that is not known, or one twice.
    mutating func plainExtensions() throws -> [PlainExtension] {
        var list = try enter(.sequence)
        var found: [PlainExtension] = []
        while !list.isAtEnd {
            var fields = try list.enter(.sequence)
            let encoded = try fields.plainIdentifier()
            guard
                let identifier = ObjectIdentifier.dotted(certificateExtension: encoded)
                    ?? ObjectIdentifier.dotted(apple: encoded),
                !found.contains(where: { $0.identifier == identifier })
            else { throw Unusual() }
            let critical = try fields.nextIfPresent(.boolean)
            // In DER it is there only if it is true.
            guard critical.map({ bytes[$0.range].elementsEqual([0x01, 0x01, 0xFF]) }) ?? true else { throw Unusual() }
            let value = bytes[try fields.octets()]
            try fields.finish()
            found.append(PlainExtension(identifier: identifier, isCritical: critical != nil, value: value))
        }
        return found
    }

    /// An object identifier as DER has it: in one piece.
    mutating func plainIdentifier() throws -> ArraySlice<UInt8> {
        let element = try next(.objectIdentifier)
        guard !element.isConstructed else { throw Unusual() }
        return bytes[element.contents]
    }
}
