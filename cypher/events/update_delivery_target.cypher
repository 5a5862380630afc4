// Sets the event number after which the delivery to a subscription continues, whichever process holds it.
MATCH (delivery:Delivery {subscriptionId: $subscriptionId})
SET delivery.goTo = toInteger($seq), delivery.startSeq = toInteger($seq)
RETURN delivery.goTo AS goTo
