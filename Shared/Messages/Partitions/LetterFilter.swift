/// Which dead letters are meant: all that every given condition holds for. Of several values of one condition any will do.
public struct LetterFilter: Sendable, Hashable, Codable {
    /// Of these kinds.
    public var kinds: [String]?
    /// With these reasons.
    public var reasons: [String]?
    /// That ended at these steps.
    public var steps: [String]?
    /// With these keys.
    public var keys: [String]?
    /// That died in these versions of their service.
    public var versions: [String]?
    /// With this text in the error, in the body, or in the body as it came before an edit, byte for byte.
    public var text: String?
    /// That died at this time or later.
    public var since: Timestamp?
    /// That died before this time.
    public var until: Timestamp?
    /// Messages of these ids; together with ``numbers`` either will do.
    public var ids: [String]?
    /// Letters of these numbers, which are the partition's own.
    public var numbers: [Int]?
    /// Those that an operator has discarded, instead of those that wait for one.
    public var isDiscarded: Bool
    /// Those that wait and those that were discarded; absent: as ``isDiscarded`` says.
    public var isWherever: Bool?

    /// All that wait, or all that were discarded.
    public init(isDiscarded: Bool = false) { self.isDiscarded = isDiscarded }
}
