package import Messages

extension TextIdentifier {
    /// Whether a caller may name something so: 1 to 256 bytes, none of them zero.
    package var isAcceptable: Bool { (1...256).contains(rawValue.utf8.count) && !rawValue.utf8.contains(0) }
}
