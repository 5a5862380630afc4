// Counts everything that could not be delivered and is still kept.
MATCH (failed:FailedDelivery)
RETURN count(failed) AS total
