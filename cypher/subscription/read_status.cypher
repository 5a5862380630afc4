// Answers for subscriptions how calls of their destinations went.
UNWIND $ids AS id
MATCH (delivery:Delivery {subscriptionId: id})
WHERE delivery.statusesJson IS NOT NULL
RETURN id, delivery.statusesJson AS json
