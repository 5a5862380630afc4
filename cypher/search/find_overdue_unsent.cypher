// Finds a record whose change has been unsent for too long.
MATCH (unsent:Unsent)
WHERE unsent.since < timestamp() - toInteger($forMs)
WITH unsent
LIMIT 1
RETURN unsent.entityId AS id
