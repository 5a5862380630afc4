// Counts what some people did after a place in the order of time, of some types if so wished, in all or record by record.
UNWIND $userNames AS userName
MATCH (event:ChangeEvent)
USING INDEX SEEK event:ChangeEvent(userName, place)
WHERE event.userName = userName AND event.place > $edge
  AND ($whats IS NULL OR event.entityType + ' ' + event.eventType IN $whats)
RETURN CASE WHEN $byRecord THEN event.entityType END AS entityType,
  CASE WHEN $byRecord THEN event.entityId END AS entityId,
  CASE WHEN $byRecord THEN event.ends END AS ends, count(event) AS total
