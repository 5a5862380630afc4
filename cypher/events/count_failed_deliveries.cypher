// Counts what could not be delivered to a subscription and is still kept.
MATCH (failed:FailedDelivery)
USING INDEX SEEK failed:FailedDelivery(subscriptionId, place)
WHERE failed.subscriptionId = $subscriptionId AND failed.place > ''
RETURN count(failed) AS total
