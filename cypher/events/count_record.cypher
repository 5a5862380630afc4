// Counts the events of some records after a position in time order, optionally of some types or users, in total or by
// record.
UNWIND $ids AS id
MATCH (event:ChangeEvent)
USING INDEX SEEK event:ChangeEvent(entityId, place)
WHERE event.entityId = id AND event.place > $edge
  AND ($whats IS NULL OR event.entityType + ' ' + event.eventType IN $whats)
  AND ($userNames IS NULL OR event.userName IN $userNames)
RETURN CASE WHEN $byRecord THEN event.entityType END AS entityType,
  CASE WHEN $byRecord THEN event.entityId END AS entityId,
  CASE WHEN $byRecord THEN event.ends END AS ends, count(event) AS total
