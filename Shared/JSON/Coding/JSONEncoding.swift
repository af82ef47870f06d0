internal import FoundationEssentials

/// Writes one value as JSON, its members in the order of their names, straight into bytes.
///
/// What Foundation's encoder writes with `sortedKeys` and `withoutEscapingSlashes`, byte for byte, without the tree that it
/// makes of each value first: messages are most of what a service does. A value is written as it comes; where an object
/// ends, its members are put in order. Of Foundation's types data alone has a form of its own: Base64.
final class JSONEncoding: Encoder {
    /// A member that is written, or an element that is written elsewhere: where in the bytes.
    private struct Part {
        /// What is between the quotes of a member's name.
        var name: Range<Int>
        var nameHasEscapes: Bool
        /// Name and value.
        var range: Range<Int>
        /// Where in `elsewheres`: asked for with `nestedContainer`, so that it may be written later than what follows it.
        var elsewhere: Int?
    }

    private enum Shape {
        case nothing
        case scalar
        case object
        case array(count: Int)
    }

    /// A value that is being written.
    private struct Frame {
        var shape = Shape.nothing
        let start: Int
        let firstPart: Int
    }

    // One encoding belongs to one call, and nothing that is given to it calls back while it changes: to look at each access
    // whether it overlaps with another would be a quarter of what writing costs.
    @exclusivity(unchecked) private var bytes: [UInt8] = []
    @exclusivity(unchecked) private var scratch: [UInt8] = []
    /// The parts of all open values, innermost last.
    @exclusivity(unchecked) private var parts: [Part] = []
    @exclusivity(unchecked) private var elsewheres: [JSONEncoding] = []
    @exclusivity(unchecked) private var frames: [Frame]
    @exclusivity(unchecked) private(set) var codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(at path: [any CodingKey] = []) {
        codingPath = path
        frames = [Frame(start: 0, firstPart: 0)]
        bytes.reserveCapacity(512)
    }

    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoding = JSONEncoding()
        if value is Data {
            try encoding.whole(value)
        } else {
            try value.encode(to: encoding)
        }
        if case .nothing = encoding.frames[0].shape {
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: "nothing was encoded"))
        }
        return encoding.finished()
    }

    // MARK: Encoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONMembersWritten(of: objectBegun()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { JSONElementsWritten(of: arrayBegun()) }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONValueWritten(encoding: self) }

    /// Itself, for an object: a value may ask for its container more than once.
    private func objectBegun() -> JSONEncoding {
        let frame = frames.count - 1
        switch frames[frame].shape {
        case .nothing: frames[frame].shape = .object
        case .object: break
        case .scalar, .array: preconditionFailure("A value is an object and something else")
        }
        return self
    }

    private func arrayBegun() -> JSONEncoding {
        let frame = frames.count - 1
        switch frames[frame].shape {
        case .nothing:
            frames[frame].shape = .array(count: 0)
            bytes.append(UInt8(ascii: "["))
        case .array: break
        case .scalar, .object: preconditionFailure("A value is an array and something else")
        }
        return self
    }

    private func scalarBegun() {
        guard case .nothing = frames[frames.count - 1].shape else {
            preconditionFailure("A value is written once and is one thing")
        }
        frames[frames.count - 1].shape = .scalar
    }

    // MARK: Values

    /// Writes what `write` does as the value that is being written.
    func scalar(_ write: (inout [UInt8]) throws -> Void) rethrows {
        scalarBegun()
        try write(&bytes)
    }

    /// Writes a value within the one that is being written, which it is all of.
    func whole(_ value: some Encodable) throws {
        scalarBegun()
        try nested(value)
    }

    private func nested<Value: Encodable>(_ value: Value) throws {
        if Value.self == Data.self, let data = value as? Data {
            bytes.appendJSON(data.base64EncodedString())
            return
        }
        frames.append(Frame(start: bytes.count, firstPart: parts.count))
        try value.encode(to: self)
        finish()
    }

    // MARK: Members

    /// Writes a member by `write`.
    func member(_ key: some CodingKey, _ write: (inout [UInt8]) throws -> Void) rethrows {
        var part = begin(key)
        try write(&bytes)
        end(&part)
    }

    func member(_ key: some CodingKey, _ value: some Encodable) throws {
        var part = begin(key)
        codingPath.append(key)
        try nested(value)
        codingPath.removeLast()
        end(&part)
    }

    /// A member that is written by and by.
    func memberElsewhere(_ key: some CodingKey) -> JSONEncoding {
        var part = begin(key)
        let elsewhere = JSONEncoding(at: codingPath + [key])
        part.elsewhere = elsewheres.count
        elsewheres.append(elsewhere)
        end(&part)
        return elsewhere
    }

    private func begin(_ key: some CodingKey) -> Part {
        let start = bytes.count
        let hasEscapes = bytes.appendJSON(key.stringValue)
        let name = start + 1..<bytes.count - 1
        bytes.append(UInt8(ascii: ":"))
        return Part(name: name, nameHasEscapes: hasEscapes, range: start..<bytes.count)
    }

    private func end(_ part: inout Part) {
        part.range = part.range.lowerBound..<bytes.count
        parts.append(part)
    }

    // MARK: Elements

    /// How many elements the array has that is being written.
    var elementCount: Int { if case .array(let count) = frames[frames.count - 1].shape { count } else { 0 } }

    private func beginElement() {
        let count = elementCount
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        frames[frames.count - 1].shape = .array(count: count + 1)
    }

    func element(_ write: (inout [UInt8]) throws -> Void) rethrows {
        beginElement()
        try write(&bytes)
    }

    func element(_ value: some Encodable) throws {
        codingPath.append(JSONKey(index: elementCount))
        beginElement()
        try nested(value)
        codingPath.removeLast()
    }

    /// An element that is written by and by.
    func elementElsewhere() -> JSONEncoding {
        let elsewhere = JSONEncoding(at: codingPath + [JSONKey(index: elementCount)])
        beginElement()
        let here = bytes.count..<bytes.count
        parts.append(Part(name: here, nameHasEscapes: false, range: here, elsewhere: elsewheres.count))
        elsewheres.append(elsewhere)
        return elsewhere
    }

    // MARK: Ends

    private func finished() -> [UInt8] {
        finish()
        return bytes
    }

    private func finish() {
        guard let frame = frames.popLast() else { return }
        switch frame.shape {
        case .nothing: bytes.append(contentsOf: [UInt8(ascii: "{"), UInt8(ascii: "}")])
        case .scalar: break
        case .object: finishObject(frame)
        case .array: finishArray(frame)
        }
    }

    private func finishObject(_ frame: Frame) {
        // By bytes, as Foundation does: `String` compares what they mean, and finds two ways to write one letter equal.
        bytes.withUnsafeBufferPointer { bytes in
            parts[frame.firstPart...].sort {
                let order = Self.order($0, $1, bytes)
                // `sort` promises no order of equals.
                return order == 0 ? $0.range.lowerBound < $1.range.lowerBound : order < 0
            }
        }
        scratch.append(UInt8(ascii: "{"))
        for index in frame.firstPart..<parts.count {
            // Of one name written twice the last counts.
            if index + 1 < parts.count, isSameName(parts[index], parts[index + 1]) { continue }
            if scratch.count > 1 { scratch.append(UInt8(ascii: ",")) }
            scratch.append(contentsOf: bytes[parts[index].range])
            if let elsewhere = parts[index].elsewhere { scratch.append(contentsOf: elsewheres[elsewhere].finished()) }
        }
        scratch.append(UInt8(ascii: "}"))
        replace(frame)
    }

    private func isSameName(_ left: Part, _ right: Part) -> Bool {
        // As it is written, so it means: escapes have one form here.
        left.name.count == right.name.count && bytes[left.name] == bytes[right.name]
    }

    /// Less than 0 if `left` comes before `right`.
    private static func order(_ left: Part, _ right: Part, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        if left.nameHasEscapes || right.nameHasEscapes {
            let (mine, theirs) = (
                JSONText.unescaped(Array(bytes[left.name])[...]), JSONText.unescaped(Array(bytes[right.name])[...])
            )
            return mine.lexicographicallyPrecedes(theirs) ? -1 : theirs.lexicographicallyPrecedes(mine) ? 1 : 0
        }
        var (mine, theirs) = (left.name.lowerBound, right.name.lowerBound)
        while mine < left.name.upperBound, theirs < right.name.upperBound {
            if bytes[mine] != bytes[theirs] { return bytes[mine] < bytes[theirs] ? -1 : 1 }
            mine += 1
            theirs += 1
        }
        return left.name.count - right.name.count
    }

    private func finishArray(_ frame: Frame) {
        bytes.append(UInt8(ascii: "]"))
        guard parts.count > frame.firstPart else { return }
        var start = frame.start
        for part in parts[frame.firstPart...] {
            scratch.append(contentsOf: bytes[start..<part.range.lowerBound])
            if let elsewhere = part.elsewhere { scratch.append(contentsOf: elsewheres[elsewhere].finished()) }
            start = part.range.lowerBound
        }
        scratch.append(contentsOf: bytes[start...])
        replace(frame)
    }

    private func replace(_ frame: Frame) {
        bytes.removeLast(bytes.count - frame.start)
        bytes.append(contentsOf: scratch)
        scratch.removeAll(keepingCapacity: true)
        parts.removeLast(parts.count - frame.firstPart)
    }
}
