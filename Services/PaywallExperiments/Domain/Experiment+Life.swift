internal import Messages

/// What an operator's word makes of an experiment.
extension Experiment {
    /// A draft, or what is wrong with it.
    static func draft(_ command: ExperimentCreate, at time: Timestamp) -> Result<Experiment, Refusal> {
        let window = command.conversionWindowSeconds ?? ExperimentRules.standardWindowSeconds
        guard command.experiment.isGood else {
            return .failure(.fieldInvalid("experiment", ExperimentID.expectation))
        }
        let complaint =
            PaywallRules.complaint(about: command.entitlement) ?? ExperimentRules.complaint(aboutName: command.name)
            ?? ExperimentRules.complaint(aboutCoverage: command.coverage)
            ?? ExperimentRules.complaint(aboutWindow: window) ?? ExperimentRules.complaint(about: command.arms)
            ?? ExperimentRules.complaint(about: command.variants, of: command.arms)
        if let complaint { return .failure(complaint) }
        guard command.variants.count == command.arms.count else {
            return .failure(.fieldInvalid("variants", "one for each arm"))
        }
        return .success(
            Experiment(
                organisation: command.organisation, app: command.app, id: command.experiment,
                entitlement: command.entitlement, name: command.name, coverage: command.coverage, arms: command.arms,
                variants: command.variants, conversionWindowSeconds: window, createdAt: time, changedAt: time))
    }

    /// A draft that runs from `time` on.
    func started(at time: Timestamp) -> Experiment {
        var next = successor(at: time)
        next.state = .running
        next.startedAt = time
        next.epochs = [Epoch(number: 1, beganAt: time, coverage: coverage, arms: arms)]
        return next
    }

    /// It ends, for good.
    func stopped(at time: Timestamp) -> Experiment {
        // Clocks may differ: an experiment does not end before its last epoch began.
        let time = max(time, epochs.last?.beganAt ?? time)
        var next = successor(at: time)
        next.state = .stopped
        next.stoppedAt = time
        return next
    }

    /// As changed, itself where nothing is different, or what is wrong with the change. Not of one that is stopped.
    func changed(by command: ExperimentChange, at time: Timestamp) -> Result<Experiment, Refusal> {
        let complaint =
            command.name.flatMap(ExperimentRules.complaint(aboutName:))
            ?? command.coverage.flatMap(ExperimentRules.complaint(aboutCoverage:))
            ?? command.conversionWindowSeconds.flatMap(ExperimentRules.complaint(aboutWindow:))
            ?? command.arms.flatMap(ExperimentRules.complaint(about:))
            ?? ExperimentRules.complaint(about: command.variants ?? [], of: command.arms ?? arms)
        if let complaint { return .failure(complaint) }
        var next = self
        next.name = command.name ?? name
        next.coverage = command.coverage ?? coverage
        next.arms = command.arms ?? arms
        next.conversionWindowSeconds = command.conversionWindowSeconds ?? conversionWindowSeconds
        for variant in command.variants ?? [] {
            if let index = next.variants.firstIndex(where: { $0.key == variant.key }) {
                next.variants[index] = variant
            } else {
                next.variants.append(variant)
            }
        }
        if state == .draft {
            // Nobody was ever assigned to those that are left out.
            next.variants = next.arms.compactMap { arm in next.variants.first { $0.key == arm.variant } }
        } else if let complaint = complaintOfRunning(as: next) {
            return .failure(complaint)
        }
        guard next.arms.allSatisfy({ next.skus(of: $0.variant) != nil }) else {
            return .failure(.fieldInvalid("variants", "the offers of every new arm"))
        }
        guard next != self else { return .success(self) }
        let isNewRule = next.coverage != coverage || next.arms != arms
        next = next.successor(at: time)
        if state == .running, isNewRule, let last = epochs.last {
            guard last.number < ExperimentRules.mostEpochs else {
                return .failure(.tooMany("epochs", ExperimentRules.mostEpochs))
            }
            next.epochs.append(
                Epoch(
                    number: last.number + 1, beganAt: max(time, last.beganAt), coverage: next.coverage,
                    arms: next.arms))
        }
        return .success(next)
    }

    /// What must stay as it is once somebody may have been assigned.
    private func complaintOfRunning(as next: Experiment) -> Refusal? {
        if next.conversionWindowSeconds != conversionWindowSeconds { return .windowFixed }
        if let control, next.control != control { return .controlFixed(control) }
        if let other = variants.first(where: { next.skus(of: $0.key) != $0.skus }) { return .variantFixed(other.key) }
        guard next.variants.count <= ExperimentRules.mostVariants else {
            return .tooMany("variants of all epochs", ExperimentRules.mostVariants)
        }
        return nil
    }

    private func successor(at time: Timestamp) -> Experiment {
        var next = self
        next.version += 1
        next.changedAt = max(time, changedAt)
        return next
    }
}
