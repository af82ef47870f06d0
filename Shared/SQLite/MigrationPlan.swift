/// What has to be run on a store to bring it up to the program, or why that cannot be.
struct MigrationPlan {
    /// A migration as the store remembers it: with its text, so that a later change to it shows.
    struct Applied: Equatable {
        let sequence: String
        let version: Int
        let script: String
    }
    struct Step {
        let sequence: String
        let migration: Migration
    }
    enum Obstacle: Error, Equatable {
        case newer(sequence: String, found: Int, known: Int)
        case changed(sequence: String, version: Int)
    }

    let steps: [Step]

    /// Everything is checked before anything is run.
    init(from applied: [Applied], to schema: [MigrationSequence]) throws(Obstacle) {
        let known = Dictionary(schema.map { ($0.name, $0.migrations) }) { first, _ in first }
        precondition(known.count == schema.count, "Two migration sequences have the same name")
        var reached: [String: Int] = [:]
        for old in applied {
            let migrations = known[old.sequence] ?? []
            guard old.version >= 1, old.version <= migrations.count else {
                throw .newer(sequence: old.sequence, found: old.version, known: migrations.count)
            }
            guard migrations[old.version - 1].script == old.script else {
                throw .changed(sequence: old.sequence, version: old.version)
            }
            reached[old.sequence] = max(reached[old.sequence] ?? 0, old.version)
        }
        steps = schema.flatMap { sequence in
            sequence.migrations.dropFirst(reached[sequence.name] ?? 0).map {
                Step(sequence: sequence.name, migration: $0)
            }
        }
    }
}
