// Stores why the documents of marked records could not be built, and when to retry: the delay grows with each failure.
UNWIND $rows AS row
MATCH (mark:Dirty {entityId: row.id})
WITH row, mark, coalesce(mark.attempts, 0) + 1 AS attempts
SET mark.failure = row.failure, mark.failedAt = timestamp(), mark.attempts = attempts,
  mark.retryAt = timestamp() + toInteger(1000 * 2 ^ CASE WHEN attempts > 6 THEN 6 ELSE attempts END)
RETURN row.id AS id
