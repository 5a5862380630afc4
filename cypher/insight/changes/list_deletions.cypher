// Lists the events of records that were deleted for good in a time window, newest first. The beginning of the text of an event
// names its record, unless the text is packed. A mark narrows the rest to the records whose names begin with a scope.
UNWIND $entityTypes AS entityType
CALL (entityType) {
  MATCH (event:ChangeEvent)
  USING INDEX SEEK event:ChangeEvent(entityType, eventType, place)
  WHERE event.entityType = entityType AND event.eventType = 'entityDeleted' AND event.place >= $since AND event.place < $until
    AND (NOT event.json STARTS WITH '{' OR event.json CONTAINS $mark)
  WITH event ORDER BY event.entityType DESC, event.eventType DESC, event.place DESC
  LIMIT toInteger($limit)
  RETURN event
}
WITH event ORDER BY event.place DESC
LIMIT toInteger($limit)
RETURN event.id AS id, event.entityType AS entityType, event.entityId AS entityId, event.userName AS by, event.timestamp AS at,
  CASE WHEN event.json STARTS WITH '{' THEN left(event.json, toInteger($size)) ELSE event.json END AS json
