internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import JSON

extension SimulatedDevice {
    /// What a folder keeps of a device.
    private struct Kept: Codable {
        var appID: String
        var environment: String
        /// PEM.
        var key: String
        /// How many assertions it has made.
        var counter: UInt32
    }

    /// Why a device could not be stored or read.
    public struct FolderError: Error, CustomStringConvertible {
        /// For operators.
        public let description: String
    }

    /// The device that ``save(to:)`` has stored; nil where there is none.
    ///
    /// - Throws: ``FolderError`` when what is there is no device.
    public init?(loadingFrom folder: String) throws {
        let path = Self.path(in: folder)
        guard access(path, F_OK) == 0 else { return nil }
        guard let text = try? Data(contentsOf: URL(filePath: path)),
            let kept = try? JSONCoding.decode(Kept.self, from: Array(text)),
            let environment = Environment(rawValue: kept.environment)
        else { throw FolderError(description: "\(path) is no simulated device") }
        try self.init(
            appID: kept.appID, environment: environment, key: try PrivateKey(pem: kept.key), counter: kept.counter)
    }

    /// Stores key and counter in a folder, which is made if need be. Only the owner can read them.
    public func save(to folder: String) throws {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw FolderError(description: "cannot make \(folder): \(String(cString: strerror(errno)))")
        }
        let kept = Kept(appID: appID, environment: environment.rawValue, key: try key.pem, counter: counter)
        let path = Self.path(in: folder)
        let unfinished = "\(path).\(getpid())"
        guard NewFile.write(try JSONCoding.encode(kept), to: unfinished, permissions: 0o600),
            rename(unfinished, path) == 0
        else {
            let reason = String(cString: strerror(errno))
            unlink(unfinished)
            throw FolderError(description: "cannot write \(path): \(reason)")
        }
    }

    private static func path(in folder: String) -> String { "\(folder)/device.json" }
}
