// Counts events of some types after a position in time order, in total or by record.
UNWIND $sorts AS sort
MATCH (event:ChangeEvent)
USING INDEX SEEK event:ChangeEvent(entityType, eventType, place)
WHERE event.entityType = sort.entityType AND event.eventType = sort.eventType AND event.place > $edge
RETURN CASE WHEN $byRecord THEN event.entityType END AS entityType,
  CASE WHEN $byRecord THEN event.entityId END AS entityId,
  CASE WHEN $byRecord THEN event.ends END AS ends, count(event) AS total
