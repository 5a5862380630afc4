// Removes a batch of failed deliveries before a moment, the oldest first.
MATCH (failed:FailedDelivery)
WHERE failed.timestamp < $before
WITH failed ORDER BY failed.timestamp
LIMIT toInteger($limit)
DELETE failed
RETURN count(*) AS removed
