// Lists the events of some records after a position in time order, optionally of some types or users.
UNWIND $ids AS id
CALL (id) {
  MATCH (event:ChangeEvent)
  USING INDEX SEEK event:ChangeEvent(entityId, place)
  WHERE event.entityId = id AND event.place > $edge
    AND ($whats IS NULL OR event.entityType + ' ' + event.eventType IN $whats)
    AND ($userNames IS NULL OR event.userName IN $userNames)
  WITH event ORDER BY event.entityId, event.place
  LIMIT toInteger($limit)
  RETURN event
}
WITH event ORDER BY event.place
LIMIT toInteger($limit)
RETURN event.place AS place, event.entityType AS entityType, event.entityId AS entityId, event.json AS json, event.ends AS ends
