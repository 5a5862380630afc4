// Counts a failed login, once however often this runs, and answers whether the address was blocked before. Whoever is
// blocked does not prolong it by trying on.
MERGE (failed:FailedLogin {key: $key})
SET failed:Expiring, failed.count = coalesce(failed.count, 0)
WITH failed, coalesce(failed.attempt = $attempt, false) AS isCounted,
  CASE WHEN coalesce(failed.expiresAt, 0) <= $now THEN 0 ELSE failed.count END AS earlier
WITH failed, isCounted, earlier, NOT isCounted AND earlier >= $most AS isBlocked
FOREACH (_ IN CASE WHEN isCounted OR isBlocked THEN [] ELSE [1] END |
  SET failed.count = earlier + 1, failed.attempt = $attempt, failed.expiresAt = $expiresAt
)
RETURN isBlocked AS isBlocked
