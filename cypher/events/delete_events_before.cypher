// Removes a batch of events below a number.
MATCH (event:ChangeEvent)
WHERE event.seq < $first
WITH event ORDER BY event.seq
LIMIT toInteger($limit)
DETACH DELETE event
RETURN count(*) AS removed
