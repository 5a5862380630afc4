// Finds a record of which the other engine has known too little for too long.
MATCH (unsent:Unsent)
WHERE unsent.since < timestamp() - toInteger($forMs)
WITH unsent
LIMIT 1
RETURN unsent.entityId AS id
