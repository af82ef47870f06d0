#if FUZZING
    import Glibc
    import Synchronization

    /// libFuzzer as a library (llvm.org/docs/LibFuzzer.html): calls `body` with one input after the other.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>,
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    /// What the callback runs: C gives it no context of its own.
    private let running = Mutex<FuzzTarget?>(nil)

    /// Searches until libFuzzer's own arguments say that it is enough; a finding ends the process.
    func fuzz(_ target: FuzzTarget, arguments: [String]) -> Int32 {
        running.withLock { $0 = target }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        return words.withUnsafeMutableBufferPointer { buffer in
            guard var start = buffer.baseAddress else { return 1 }
            var count = Int32(arguments.count)
            return runDriver(&count, &start) { bytes, count in
                let target = running.withLock { $0 }
                target?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            }
        }
    }
#endif
