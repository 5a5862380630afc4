// Lists events of some types after a position in time order.
UNWIND $sorts AS sort
CALL (sort) {
  MATCH (event:ChangeEvent)
  USING INDEX SEEK event:ChangeEvent(entityType, eventType, place)
  WHERE event.entityType = sort.entityType AND event.eventType = sort.eventType AND event.place > $edge
  WITH event ORDER BY event.entityType, event.eventType, event.place
  LIMIT toInteger($limit)
  RETURN event
}
WITH event ORDER BY event.place
LIMIT toInteger($limit)
RETURN event.place AS place, event.entityType AS entityType, event.entityId AS entityId, event.json AS json, event.ends AS ends
