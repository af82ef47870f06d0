/// A data item of CBOR (RFC 8949).
package enum CBORValue: Hashable, Sendable {
    case unsigned(UInt64)
    /// −1 − n, for the n that is given: CBOR's negative numbers reach further than Swift's.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// The keys are texts, numbers or bytes, none of them twice.
    case map([CBORValue: CBORValue])
    /// A tag and what it is put on.
    indirect case tagged(UInt64, CBORValue)
    case boolean(Bool)
    case null
    case undefined
    /// Half, single and double precision alike.
    case float(Double)
}

extension CBORValue {
    package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var array: [CBORValue]? { if case .array(let values) = self { values } else { nil } }
    package var map: [CBORValue: CBORValue]? { if case .map(let members) = self { members } else { nil } }
    package var unsigned: UInt64? { if case .unsigned(let number) = self { number } else { nil } }
}
