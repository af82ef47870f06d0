import Foundation

// Without libFuzzer (`swift build`) it runs a decoder on files: to look at a finding in a debugger. With it
// (`scripts/fuzz`) it looks for findings.

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "--list"?:
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
case "--corpus"?:
    guard words.count == 2 else { usage() }
    try writeCorpus(to: words[1])
case let name?:
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { usage() }
    #if FUZZING
        exit(fuzz(target, arguments: words))
    #else
        for path in words.dropFirst() { target.run(Array(try Data(contentsOf: URL(filePath: path)))) }
    #endif
case nil: usage()
}

func usage() -> Never {
    FileHandle.standardError.write(
        Data("usage: fuzz --list | --corpus DIR | TARGET [libFuzzer's arguments, or FILE …]; see scripts/fuzz\n".utf8))
    exit(64)
}

/// A folder for each target with what its decoder accepts, made by a test authority.
func writeCorpus(to folder: String) throws {
    for target in FuzzTarget.all {
        let place = URL(filePath: folder).appending(path: target.name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (number, sample) in try target.samples().enumerated() {
            try Data(sample).write(to: place.appending(path: "sample-\(number)"))
        }
    }
}
