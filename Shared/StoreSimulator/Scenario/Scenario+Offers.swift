extension Scenario {
    /// Prices of their own.
    static let offers = [
        Scenario("trial-converted", "A free week, then the price") { story in
            story.subscribe(offer: .trial)
            story.refreshReceipt()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("trial-cancelled", "A free week, and no more") { story in
            story.subscribe(offer: .trial)
            story.wait(.days(1))
            story.setAutoRenew(false)
            story.waitForEnd()
            story.lapse()
            story.refreshReceipt()
        },
        Scenario("introductory-price", "Two weeks for little, then the price") { story in
            story.subscribe(offer: StoreOffer(.introductory, period: .days(14), price: 1_990))
            story.renew()
            story.refreshReceipt()
        },
        Scenario("promotional-offer", "Whoever means to leave takes an offer for his next period") { story in
            story.subscribe()
            story.wait(.days(5))
            story.setAutoRenew(false)
            story.wait(.days(3))
            story.setAutoRenew(true)
            story.redeem(StoreOffer(.promotional, "stay.with.us", period: .days(28), price: 4_990))
            story.renew()
            story.renew()
            story.refreshReceipt()
        },
        Scenario("offer-code", "Somebody subscribes with a code") { story in
            story.subscribe(offer: StoreOffer(.code, "SPRING", period: .days(28), price: 990))
            story.renew()
            story.refreshReceipt()
        },
        Scenario("win-back", "Somebody who has left is won back by an offer") { story in
            story.subscribe()
            story.setAutoRenew(false)
            story.waitForEnd()
            story.lapse()
            story.wait(.days(75))
            story.resubscribe(offer: StoreOffer(.winBack, "come.back", period: .days(28), price: 1_990))
            story.renew()
            story.refreshReceipt()
        },
    ]
}
