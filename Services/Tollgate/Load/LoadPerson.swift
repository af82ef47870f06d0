/// What is known of one person of a run. Periods are counted from 0, the purchase.
struct LoadPerson {
    /// When the message about each period was due, in tenths of a millisecond after the beginning, plus one;
    /// 0: it has not been accepted.
    var due: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    /// How many periods have been seen to unlock something: the newest one covers those before.
    var seen: UInt8 = 0
    /// Which of the things that he has said of himself were accepted, a bit each.
    var said: UInt32 = 0
    /// The store has not signed what is said to be his.
    var isForger = false
    /// Of the last that was told of him: what, and under which id.
    var told: UInt32 = 0
    var toldBy: UInt32 = 0

    /// Something unlocks something that the store has not signed.
    var isWrong: Bool { isForger && due.0 == 0 && seen > 0 }

    subscript(period: Int) -> UInt32 {
        get {
            switch period {
            case 0: due.0
            case 1: due.1
            case 2: due.2
            default: due.3
            }
        }
        set {
            switch period {
            case 0: due.0 = newValue
            case 1: due.1 = newValue
            case 2: due.2 = newValue
            default: due.3 = newValue
            }
        }
    }

    /// When the first of them was due.
    var oldestOpen: UInt32? {
        guard due.0 > 0 else { return nil }
        return (Int(seen)..<LoadWorld.mostPeriods).map { self[$0] }.filter { $0 > 0 }.min()
    }

    /// How many of his accepted periods have not been seen. Without his purchase nobody knows whose the renewals are.
    var open: Int {
        guard due.0 > 0 else { return 0 }
        return (Int(seen)..<LoadWorld.mostPeriods).filter { self[$0] > 0 }.count
    }
}
