// Stores why records could not be sent, and when to retry.
UNWIND $rows AS row
MATCH (unsent:Unsent {entityId: row.id})
SET unsent.attempts = coalesce(unsent.attempts, 0) + 1, unsent.failure = row.reason, unsent.failedAt = timestamp(),
  unsent.retryAt = timestamp() + toInteger(row.waitMs)
RETURN row.id AS id
