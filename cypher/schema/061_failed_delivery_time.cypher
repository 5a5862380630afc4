// What could not be delivered is removed by its age.
CREATE INDEX FailedDelivery_timestamp IF NOT EXISTS FOR (n:FailedDelivery) ON (n.timestamp)
