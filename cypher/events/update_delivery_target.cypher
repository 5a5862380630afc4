// Wants the delivery to a subscription to go on after a number, whoever has it.
MATCH (delivery:Delivery {subscriptionId: $subscriptionId})
SET delivery.goTo = toInteger($seq), delivery.startSeq = toInteger($seq)
RETURN delivery.goTo AS goTo
