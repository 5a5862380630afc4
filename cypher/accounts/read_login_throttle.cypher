// Returns the recent login failures of each key, until when it has to wait, and whether a login under the key of an
// account and an address has succeeded before.
UNWIND $rows AS row
OPTIONAL MATCH (failed:FailedLogin {key: row.key})
OPTIONAL MATCH (known:KnownLogin {key: row.key})
RETURN row.at AS at,
  CASE WHEN failed.expiresAt > $now THEN coalesce(failed.count, 0) ELSE 0 END AS count,
  coalesce(failed.waitUntil, 0) AS waitUntil,
  coalesce(known.expiresAt > $now, false) AS isKnown
