// Answers how often logins have failed of late under some keys, until when each of them has to wait, and whether a login
// under the key of an account and an address has worked before.
UNWIND $rows AS row
OPTIONAL MATCH (failed:FailedLogin {key: row.key})
OPTIONAL MATCH (known:KnownLogin {key: row.key})
RETURN row.at AS at,
  CASE WHEN failed.expiresAt > $now THEN coalesce(failed.count, 0) ELSE 0 END AS count,
  coalesce(failed.waitUntil, 0) AS waitUntil,
  coalesce(known.expiresAt > $now, false) AS isKnown
