internal import JSON

extension Scenario {
    /// From one product of a group to another.
    static let switches = [
        Scenario("upgraded", "From the lesser to the better service, at once in the middle of a period") { story in
            story.subscribe(to: story.products.basic)
            story.renew()
            story.wait(.days(11))
            story.switchNow(to: story.products.monthly)
            story.renew()
            story.refreshReceipt()
        },
        Scenario("downgraded", "From the better to the lesser service, at the end of the period") { story in
            story.subscribe()
            story.wait(.days(11))
            story.switchLater(to: story.products.basic)
            story.renew()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("downgrade-withdrawn", "A downgrade is announced and withdrawn before the period ends") { story in
            story.subscribe()
            story.wait(.days(11))
            story.switchLater(to: story.products.basic)
            story.wait(.days(2))
            story.switchLater(to: story.products.monthly)
            story.renew()
            story.refreshReceipt()
        },
        Scenario("crossgraded-now", "To another month of the same service, at once") { story in
            story.subscribe()
            story.wait(.days(9))
            story.switchNow(to: story.products.alternative)
            story.renew()
            story.refreshReceipt()
        },
        Scenario("crossgraded-later", "From a month to a year of the same service, at the end of the period") { story in
            story.subscribe()
            story.wait(.days(9))
            story.switchLater(to: story.products.yearly)
            story.renew()
            story.refreshReceipt()
        },
    ]

    /// Money that goes back.
    static let refunds = [
        Scenario("refunded", "A running period is paid back as a whole, and ends at once") { story in
            story.subscribe()
            story.renew()
            story.wait(.days(4))
            story.setAutoRenew(false)
            story.wait(.days(2))
            story.refund()
            story.refreshReceipt()
        },
        Scenario("refunded-in-part", "What is left of a running period is paid back, and ends at once") { story in
            story.subscribe()
            story.renew()
            story.wait(.days(10))
            story.setAutoRenew(false)
            story.refund(percentage: 66_667)
            story.refreshReceipt()
        },
        Scenario("old-period-refunded", "A period that is over is paid back; the running one is not touched") { story in
            story.subscribe()
            story.renew()
            story.renew()
            story.wait(.days(4))
            story.refund(transaction: 0)
            story.refreshReceipt()
        },
        Scenario("refund-reversed", "A refund is taken back, as if it had not been") { story in
            story.subscribe()
            story.wait(.days(4))
            story.refund()
            story.refreshReceipt()
            story.wait(.days(5))
            story.reverseRefund()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("refund-declined", "The customer asks for his money, and does not get it") { story in
            story.subscribe()
            story.wait(.days(4))
            story.tell(
                "refund-asked", "CONSUMPTION_REQUEST", of: 0, status: 1,
                members: ["consumptionRequestReason": .string("UNINTENDED_PURCHASE")])
            story.wait(.days(1))
            story.tell("refund-declined", "REFUND_DECLINED", of: 0, status: 1)
            story.refreshReceipt()
        },
        Scenario("refunded-then-bought", "Paid back, and bought again a day later") { story in
            story.subscribe()
            story.wait(.days(4))
            story.refund()
            story.wait(.days(1))
            story.resubscribe()
            story.refreshReceipt()
        },
    ]

    /// What a family shares.
    static let families = [
        Scenario("family-shared", "The buyer's family has it too, under ids of their own, as long as it renews") {
            story in
            story.subscribe()
            story.wait(.seconds(600))
            let member = story.subscribe(sharedWithFamily: true)
            story.renew()
            story.renew(member)
            story.refreshReceipt()
        },
        Scenario("family-revoked", "The buyer stops sharing: the member loses it, the buyer does not") { story in
            story.subscribe()
            story.wait(.seconds(600))
            let member = story.subscribe(sharedWithFamily: true)
            story.wait(.days(12))
            story.stopSharing(member)
            story.renew()
            story.refreshReceipt()
        },
    ]
}
