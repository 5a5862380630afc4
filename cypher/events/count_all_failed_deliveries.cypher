// Counts all stored failed deliveries.
MATCH (failed:FailedDelivery)
RETURN count(failed) AS total
