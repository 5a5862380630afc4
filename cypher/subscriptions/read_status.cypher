// Returns the delivery status of each destination of subscriptions.
UNWIND $ids AS id
MATCH (delivery:Delivery {subscriptionId: id})
WHERE delivery.statusesJson IS NOT NULL
RETURN id, delivery.statusesJson AS json
