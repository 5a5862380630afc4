// Lists events after a number, in order.
MATCH (event:ChangeEvent)
WHERE event.seq > $after
WITH event ORDER BY event.seq
LIMIT toInteger($limit)
RETURN event.seq AS seq, event.id AS id, event.eventType AS eventType, event.entityType AS entityType,
  event.entityId AS entityId, event.userName AS userName, event.timestamp AS timestamp, event.json AS json, event.ends AS ends,
  coalesce(event.traceparent, '') AS traceparent
