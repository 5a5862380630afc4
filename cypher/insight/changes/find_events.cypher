// Finds the stored events of changes: by record, type and time, or by a mark in their text where the time is another.
UNWIND $rows AS row
MATCH (event:ChangeEvent)
USING INDEX SEEK event:ChangeEvent(entityId, place)
WHERE event.entityId = row.entityId AND event.place >= row.since AND event.place < row.until
  AND event.eventType IN row.eventTypes AND (row.mark IS NULL OR event.json CONTAINS row.mark)
RETURN row.at AS at, min(event.id) AS id, min(event.userName) AS by
