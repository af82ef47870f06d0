/// Why bytes could not be read, and where. The same bytes fail again.
package struct DERError: Error, Equatable {
    package enum Fault: Equatable {
        /// The element, or what it is in, ends too early.
        case truncated
        /// A length of more bytes than any file has, or, where DER is due, one that is not in its only form.
        case badLength
        /// A tag number above 30: nothing that we read has one.
        case badTag
        /// Indefinite length or segments where DER is due, or on what cannot be constructed.
        case notDER
        /// Elements in elements, deeper than anything genuine.
        case tooDeep
        /// Something else was due.
        case unexpected(DERTag, instead: DERTag?)
        /// Something is left where nothing was due.
        case trailing
        /// A number of more than 64 bits, or of none.
        case badInteger
        /// No UTF-8, or not ASCII where that is due.
        case badText
    }

    package let fault: Fault
    /// Where in the bytes that were given to the first reader.
    package let offset: Int
}

extension DERError: CustomStringConvertible {
    package var description: String {
        let words =
            switch fault {
            case .truncated: "ends too early"
            case .badLength: "has a bad length"
            case .badTag: "has a tag that is too long"
            case .notDER: "is not DER"
            case .tooDeep: "is nested too deeply"
            case .unexpected(let tag, nil): "ends where \(tag) was due"
            case .unexpected(let tag, let other?): "has \(other) where \(tag) was due"
            case .trailing: "has something left over"
            case .badInteger: "has a number that is too large, or none"
            case .badText: "has a text that is none"
            }
        return "\(words) at byte \(offset)"
    }
}
