// Answers for rows while somebody is left who may administer the catalog. Writes that take that away from people wait
// for each other at one node, so that two of them cannot each count on the other's person.
UNWIND $rows AS row
MERGE (lock:Rights {name: row.name})
SET lock.revision = coalesce(lock.revision, 0) + 1
WITH row
WHERE EXISTS {
  MATCH (user:User {isAdmin: true})
  WHERE NOT user.deleted AND NOT coalesce(user.isBot, false)
}
RETURN row.at AS at
