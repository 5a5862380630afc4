// Lists queued records that are due to be sent, the longest due first.
MATCH (unsent:Unsent)
WHERE unsent.retryAt <= timestamp()
WITH unsent
ORDER BY unsent.retryAt
LIMIT toInteger($limit)
RETURN unsent.entityId AS id, unsent.entityType AS entityType, unsent.times AS times, coalesce(unsent.attempts, 0) AS attempts
