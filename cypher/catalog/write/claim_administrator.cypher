// Returns the rows only while an administrator is left. Writes that remove administrators lock one node in turn, so
// that two of them cannot each rely on the other's administrator.
UNWIND $rows AS row
MERGE (lock:Rights {name: row.name})
SET lock.revision = coalesce(lock.revision, 0) + 1
WITH row
WHERE EXISTS {
  MATCH (user:User {isAdmin: true})
  WHERE NOT user.deleted AND NOT coalesce(user.isBot, false)
}
RETURN row.at AS at
