// Counts the events of some users after a position in time order, optionally of some types, in total or by record.
UNWIND $userNames AS userName
MATCH (event:ChangeEvent)
USING INDEX SEEK event:ChangeEvent(userName, place)
WHERE event.userName = userName AND event.place > $edge
  AND ($whats IS NULL OR event.entityType + ' ' + event.eventType IN $whats)
RETURN CASE WHEN $byRecord THEN event.entityType END AS entityType,
  CASE WHEN $byRecord THEN event.entityId END AS entityId,
  CASE WHEN $byRecord THEN event.ends END AS ends, count(event) AS total
