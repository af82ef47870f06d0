extension Scenario {
    /// A subscription from its beginning to its end.
    static let subscriptions = [
        Scenario("first-purchase", "A month is bought, and is running") { story in
            story.download()
            story.wait(.seconds(60))
            story.subscribe()
            story.wait(.seconds(30))
            story.refreshReceipt()
        },
        Scenario("renewals", "Bought, then renewed five times, twice a while before the period ends") { story in
            story.subscribe()
            story.refreshReceipt()
            for hours in [0, 6, 0, 23, 0] { story.renew(ahead: .seconds(hours * 3_600)) }
            story.refreshReceipt()
        },
        Scenario("cancelled", "Renewal is switched off; it runs out at the end of its period") { story in
            story.subscribe()
            story.renew()
            story.wait(.days(3))
            story.setAutoRenew(false)
            story.waitForEnd()
            story.lapse()
            story.refreshReceipt()
        },
        Scenario("cancelled-and-resumed", "Renewal is switched off and on again before the period ends") { story in
            story.subscribe()
            story.wait(.days(3))
            story.setAutoRenew(false)
            story.wait(.days(10))
            story.setAutoRenew(true)
            story.renew()
            story.refreshReceipt()
        },
        Scenario("resubscribed", "Runs out, and is bought again a week later, and once more after three months") {
            story in
            story.subscribe()
            for days in [7, 92] {
                story.setAutoRenew(false)
                story.waitForEnd()
                story.lapse()
                story.wait(.days(days))
                story.resubscribe()
                story.wait(.days(1))
            }
            story.refreshReceipt()
        },
        Scenario("grace-recovered", "The card is refused; it is charged within the grace period, without a gap") {
            story in
            story.subscribe()
            story.renew()
            story.failToRenew(grace: .days(16))
            story.wait(.days(5))
            story.refreshReceipt()
            story.recover()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("grace-over", "The card is refused beyond the grace period, and is charged later") { story in
            story.subscribe()
            story.failToRenew(grace: .days(6))
            story.endGrace()
            story.wait(.days(10))
            story.recover()
            story.refreshReceipt()
        },
        Scenario("billing-retry-recovered", "The card is refused without a grace period, and is charged later") {
            story in
            story.subscribe()
            story.failToRenew()
            story.wait(.days(12))
            story.refreshReceipt()
            story.recover()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("billing-retry-lapsed", "The card is refused, until the store gives up after 60 days") { story in
            story.subscribe()
            story.renew()
            story.failToRenew()
            story.wait(.days(60))
            story.lapse(because: 2)
            story.refreshReceipt()
        },
        Scenario("price-increase-agreed", "The price goes up, and the customer agrees") { story in
            let price = story.products.monthly.price + 2_000
            story.subscribe()
            story.wait(.days(2))
            story.raisePrice(to: price, isAgreed: false)
            story.wait(.days(5))
            story.raisePrice(to: price, isAgreed: true)
            story.renew()
            story.refreshReceipt()
        },
        Scenario("price-increase-refused", "The price goes up, and the customer does not agree") { story in
            story.subscribe()
            story.wait(.days(2))
            story.raisePrice(to: story.products.monthly.price + 2_000, isAgreed: false)
            story.waitForEnd()
            story.lapse(because: 3)
            story.refreshReceipt()
        },
        Scenario("extended", "The app makes up for an outage with another week") { story in
            story.subscribe()
            story.wait(.days(20))
            story.extend(by: .days(7))
            story.renew()
            story.refreshReceipt()
        },
        Scenario("signed-anew", "After three periods the app restores its purchases: old periods are signed last") {
            story in
            story.subscribe()
            story.renew()
            story.renew()
            story.wait(.days(4))
            story.restore()
            story.refreshReceipt()
        },
    ]
}
