// Forgets the failed logins of an address unless it is blocked, and answers whether it is.
MATCH (failed:FailedLogin {key: $key})
SET failed.key = failed.key
WITH failed, failed.count >= $most AND failed.expiresAt > $now AS isBlocked
FOREACH (_ IN CASE WHEN isBlocked THEN [] ELSE [1] END | DELETE failed)
RETURN isBlocked AS isBlocked
