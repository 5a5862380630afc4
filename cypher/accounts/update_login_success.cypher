// Clears the failures of an account at an address unless it has to wait, and records the successful login; returns
// until when it has to wait.
MERGE (known:KnownLogin {key: $key})
ON CREATE SET known.expiresAt = 0
SET known:Expiring
WITH known
OPTIONAL MATCH (failed:FailedLogin {key: $key})
WITH known, failed, CASE WHEN coalesce(failed.waitUntil, 0) > $now THEN failed.waitUntil ELSE 0 END AS waitUntil
FOREACH (_ IN CASE WHEN waitUntil > 0 THEN [] ELSE [1] END | SET known.expiresAt = $knownUntil)
FOREACH (gone IN CASE WHEN waitUntil > 0 OR failed IS NULL THEN [] ELSE [failed] END | DELETE gone)
RETURN waitUntil AS waitUntil
