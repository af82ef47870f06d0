internal import CLinux
internal import Glibc
internal import Synchronization

/// A serial executor whose thread sleeps in poll(2): for an actor that owns a socket.
///
/// The thread runs what is enqueued, then lets its actor pump (read what has come, write what can be written), then
/// sleeps until there is more work, the socket is ready, or the time is over that the pump named.
final class SocketExecutor: SerialExecutor {
    /// What the thread waits for besides work.
    struct Wait: Sendable {
        /// The socket.
        var descriptor: Int32
        /// Also until the socket can be written to.
        var untilWritable = false
        /// At most; zero: do not sleep.
        var atMost: Duration
    }
    typealias Pump = @Sendable () -> Wait?

    private let core: Core

    /// - Parameter label: the thread's name as `top -H` shows it; cut to 15 bytes.
    init(label: String) {
        core = Core()
        Core.start(core, label: label)
    }

    deinit { core.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        core.append { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func isIsolatingCurrentContext() -> Bool? { core.isCurrentThread }

    func checkIsolated() { precondition(core.isCurrentThread, "not on this connection's thread") }

    /// Runs plain work on the thread, in order with the jobs.
    func run(_ work: @escaping @Sendable () -> Void) { core.append(work) }

    /// Makes the thread pump soon; from any thread.
    func wake() { core.wake() }

    /// From now on the thread pumps. Called on the thread; nil ends it.
    func pump(_ pump: Pump?) { core.pump(pump) }
}

/// What the thread shares with those who enqueue.
// Sendable by hand: `state` is under its mutex; the descriptor is never changed.
private final class Core: @unchecked Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var pump: SocketExecutor.Pump?
        var isSleeping = false
        var isAwaited = false
        var isClosed = false
    }
    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)
    private let bell: Int32

    init() {
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(bell >= 0, "no event descriptor: error \(errno)")
    }

    deinit { Glibc.close(bell) }

    var isCurrentThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func append(_ job: @escaping @Sendable () -> Void) {
        ring { $0.jobs.append(job) }
    }
    func wake() {
        ring { $0.isAwaited = true }
    }
    func close() {
        ring { $0.isClosed = true }
    }
    func pump(_ pump: SocketExecutor.Pump?) {
        state.withLock { $0.pump = pump }
    }

    /// Changes the state, and wakes the thread only if it sleeps: most often it is at work anyway.
    private func ring(_ change: (inout State) -> Void) {
        let isSleeping = state.withLock { state in
            change(&state)
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if isSleeping { eventfd_write(bell, 1) }
    }

    static func start(_ core: Core, label: String) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // librabbitmq reads nested header tables by recursion: a frame's worth of nesting has to fit on the stack.
        pthread_attr_setstacksize(&attributes, 64 << 20)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let start = Unmanaged.passRetained(Start(core: core, label: String(label.prefix(15))))
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, socketThreadMain, start.toOpaque())
        precondition(code == 0, "No thread could be started for \(label): error \(code)")
    }

    func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let (jobs, pump, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                state.isAwaited = false
                return (state.jobs, state.pump, state.isClosed)
            }
            for job in jobs { job() }
            if isClosed && jobs.isEmpty { return }
            // A job may have begun or ended the pumping.
            let current = jobs.isEmpty ? pump : state.withLock { $0.pump }
            sleep(current?())
        }
    }

    private func sleep(_ wait: SocketExecutor.Wait?) {
        let mayStayAwake = state.withLock { state in
            if !state.jobs.isEmpty || state.isAwaited || state.isClosed { return true }
            if let wait, wait.atMost <= .zero { return true }
            state.isSleeping = true
            return false
        }
        if mayStayAwake { return }
        var descriptors = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        if let wait {
            let events = Int16(POLLIN) | (wait.untilWritable ? Int16(POLLOUT) : 0)
            descriptors.append(pollfd(fd: wait.descriptor, events: events, revents: 0))
        }
        // Rounded up, or the last millisecond would be spent spinning.
        let milliseconds = wait.map { Int32(clamping: ($0.atMost / .milliseconds(1)).rounded(.up).clampedToInt) } ?? -1
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        state.withLock { $0.isSleeping = false }
        var count: eventfd_t = 0
        if descriptors[0].revents != 0 { eventfd_read(bell, &count) }
    }
}

/// What the thread is given to begin with.
private final class Start: Sendable {
    let core: Core
    let label: String

    init(core: Core, label: String) {
        self.core = core
        self.label = label
    }

    /// Names the calling thread. Through /proc, because Glibc's module lacks `pthread_setname_np`; a name is a
    /// convenience, so a failure is passed over.
    func takeName() {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, label, label.utf8.count)
        close(file)
    }
}

private func socketThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
    start.takeName()
    start.core.run()
    return nil
}

extension Double {
    fileprivate var clampedToInt: Int { self >= 1e9 ? 1_000_000_000 : self <= 0 ? 0 : Int(self) }
}
