package import Lane

extension HandlerTable {
    /// Everything that the registry does with messages.
    package static func registry() -> HandlerTable {
        var table = HandlerTable()
        table.add(PutApp())
        table.add(AddKey())
        table.add(RevokeKey())
        table.add(ShowRegistry())
        return table
    }
}
