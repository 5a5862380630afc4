// Counts the stored failed deliveries of a subscription.
MATCH (failed:FailedDelivery)
USING INDEX SEEK failed:FailedDelivery(subscriptionId, place)
WHERE failed.subscriptionId = $subscriptionId AND failed.place > ''
RETURN count(failed) AS total
