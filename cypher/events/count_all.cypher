// Counts events after a position in time order, in total or by record.
MATCH (event:ChangeEvent)
WHERE event.place > $edge
RETURN CASE WHEN $byRecord THEN event.entityType END AS entityType,
  CASE WHEN $byRecord THEN event.entityId END AS entityId,
  CASE WHEN $byRecord THEN event.ends END AS ends, count(event) AS total
