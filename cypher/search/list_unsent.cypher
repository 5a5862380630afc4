// Lists some records that the other engine does not know as they are, those first that have waited longest for another try.
MATCH (unsent:Unsent)
WHERE unsent.retryAt <= timestamp()
WITH unsent
ORDER BY unsent.retryAt
LIMIT toInteger($limit)
RETURN unsent.entityId AS id, unsent.entityType AS entityType, unsent.times AS times, coalesce(unsent.attempts, 0) AS attempts
