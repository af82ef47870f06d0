extension Array {
    /// The first place whose element `isBehind`, as all that follow are; the end if none is. A binary search.
    func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
