// Counts a failed login under several keys, once even if the statement is retried, and returns until when each key had
// to wait before. Attempts during a wait do not prolong it; each further failure makes the next wait longer.
UNWIND $rows AS row
MERGE (failed:FailedLogin {key: row.key})
SET failed:Expiring, failed.count = coalesce(failed.count, 0)
WITH row, failed, coalesce(failed.attempt = $attempt, false) AS isCounted,
  CASE WHEN coalesce(failed.expiresAt, 0) <= $now THEN 0 ELSE failed.count END AS earlier,
  coalesce(failed.waitUntil, 0) AS waitUntil
WITH row, failed, isCounted, earlier, CASE WHEN isCounted OR waitUntil <= $now THEN 0 ELSE waitUntil END AS waitUntil,
  CASE WHEN earlier + 1 - row.free > 20 THEN 20 ELSE earlier + 1 - row.free END AS steps
FOREACH (_ IN CASE WHEN isCounted OR waitUntil > 0 THEN [] ELSE [1] END |
  SET failed.count = earlier + 1, failed.attempt = $attempt, failed.expiresAt = $now + row.windowMs,
    failed.waitUntil = CASE
      WHEN steps < 0 THEN 0
      WHEN row.baseMs * 2 ^ steps > row.mostMs THEN $now + row.mostMs
      ELSE $now + toInteger(row.baseMs * 2 ^ steps)
    END
)
RETURN row.at AS at, waitUntil AS waitUntil
