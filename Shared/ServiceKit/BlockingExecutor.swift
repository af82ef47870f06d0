internal import Glibc

/// A serial executor with a thread of its own, for actors whose work blocks (SQLite, librabbitmq).
///
/// Blocking calls made on Swift's cooperative pool starve every other task; an actor that returns this executor's
/// `asUnownedSerialExecutor()` from `unownedExecutor` blocks only its own thread. The thread ends when the last
/// reference to the executor goes and the queue is empty.
public final class BlockingExecutor: SerialExecutor {
    private let queue: JobQueue

    /// - Parameter label: the thread's name as `top -H` shows it; cut to 15 bytes.
    public init(label: String) {
        queue = JobQueue()
        JobThread.start(label: label, draining: queue)
    }

    deinit { queue.close() }

    /// Runs `job` on the thread, after all that were enqueued before it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.append { job.runSynchronously(on: executor) }
    }

    /// Runs plain work on the thread, in order with the jobs.
    public func run(_ work: @escaping @Sendable () -> Void) { queue.append(work) }

    /// The reference an actor returns from `unownedExecutor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// Work waiting for the thread. A pthread mutex and condition, because `Synchronization` has no condition variable.
// Sendable by hand: every access to `waiting` and `closed` happens between lock and unlock.
private final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [@Sendable () -> Void] = []
    private var closed = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func append(_ work: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        waiting.append(work)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    func close() {
        pthread_mutex_lock(mutex)
        closed = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// All that waits, in order; blocks until there is something. Nil when closed and empty.
    func takeAll() -> [@Sendable () -> Void]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty {
            if closed { return nil }
            pthread_cond_wait(condition, mutex)
        }
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }
}

/// What the thread is given to begin with.
private final class JobThread: Sendable {
    private let label: String
    private let queue: JobQueue

    private init(label: String, queue: JobQueue) {
        self.label = label
        self.queue = queue
    }

    static func start(label: String, draining queue: JobQueue) {
        let start = JobThread(label: String(label.prefix(15)), queue: queue)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, jobThreadMain, Unmanaged.passRetained(start).toOpaque())
        precondition(code == 0, "No thread could be started for \(label): error \(code)")
        pthread_detach(thread)
    }

    func drain() {
        takeName()
        while let work = queue.takeAll() {
            for item in work { item() }
        }
    }

    /// Names the calling thread. Through /proc, because Glibc's module lacks `pthread_setname_np`; a name is a
    /// convenience, so a failure is passed over.
    private func takeName() {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, label, label.utf8.count)
        close(file)
    }
}

private func jobThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<JobThread>.fromOpaque(argument).takeRetainedValue().drain()
    return nil
}
