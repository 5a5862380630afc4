// Lists the events with the lowest numbers.
MATCH (event:ChangeEvent)
WHERE event.seq > 0
WITH event ORDER BY event.seq
LIMIT toInteger($limit)
RETURN event.seq AS seq, event.timestamp AS timestamp
