// Lists the events of some users after a position in time order, optionally of some types.
UNWIND $userNames AS userName
CALL (userName) {
  MATCH (event:ChangeEvent)
  USING INDEX SEEK event:ChangeEvent(userName, place)
  WHERE event.userName = userName AND event.place > $edge
    AND ($whats IS NULL OR event.entityType + ' ' + event.eventType IN $whats)
  WITH event ORDER BY event.userName, event.place
  LIMIT toInteger($limit)
  RETURN event
}
WITH event ORDER BY event.place
LIMIT toInteger($limit)
RETURN event.place AS place, event.entityType AS entityType, event.entityId AS entityId, event.json AS json, event.ends AS ends
