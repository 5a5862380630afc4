// Keeps why the documents of marked records could not be made, and until when they are left alone: the longer, the more often that was.
UNWIND $rows AS row
MATCH (mark:Dirty {entityId: row.id})
WITH row, mark, coalesce(mark.attempts, 0) + 1 AS attempts
SET mark.failure = row.failure, mark.failedAt = timestamp(), mark.attempts = attempts,
  mark.retryAt = timestamp() + toInteger(1000 * 2 ^ CASE WHEN attempts > 6 THEN 6 ELSE attempts END)
RETURN row.id AS id
