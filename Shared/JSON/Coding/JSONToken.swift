/// A value of a JSON text, or the name of a member, in the order of the text: an object is followed by name and value of
/// each member, an array by its elements.
struct JSONToken {
    enum Kind: UInt8 {
        case null
        case `true`
        case `false`
        case number
        case string
        /// A string with escapes.
        case escapedString
        case array
        case object
    }

    var kind: Kind
    /// Where it is in the text; of a string what is between its quotes.
    var start: Int32
    var end: Int32
    /// The token after all that belongs to this one.
    var next: Int32 = 0
    /// How many elements or members it has.
    var count: Int32 = 0

    var range: Range<Int> { Int(start)..<Int(end) }
}
