// Lists the failed deliveries of a subscription before a position, newest first.
MATCH (failed:FailedDelivery)
USING INDEX SEEK failed:FailedDelivery(subscriptionId, place)
WHERE failed.subscriptionId = $subscriptionId AND failed.place < $edge
WITH failed ORDER BY failed.subscriptionId DESC, failed.place DESC
LIMIT toInteger($limit)
OPTIONAL MATCH (event:ChangeEvent {id: failed.eventId})
RETURN failed{.*} AS node, event.json AS json, event.entityType AS entityType, event.entityId AS entityId,
  event.ends AS ends
ORDER BY failed.place DESC
