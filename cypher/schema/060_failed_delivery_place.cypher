// What could not be delivered to one subscription is listed by time.
CREATE INDEX FailedDelivery_place IF NOT EXISTS FOR (n:FailedDelivery) ON (n.subscriptionId, n.place)
