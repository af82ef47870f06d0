/// One element: what it is, and where it lies in the bytes that it was read from. Nothing is copied.
package struct DERElement: Hashable, Sendable {
    package let tag: DERTag
    package let isConstructed: Bool
    /// All of it, with tag and length, and with the end mark of an indefinite length.
    package let range: Range<Int>
    /// What is in it.
    package let contents: Range<Int>
    /// Whether it said how long it is, rather than where it ends.
    package let isDefinite: Bool
}
