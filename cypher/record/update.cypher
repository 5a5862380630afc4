// Changes records that are still at the version the change was made from. The lock is taken by the first SET, before
// the version is looked at: a lock taken late would compare a stale value.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.revision = n.revision
WITH n, row
WHERE n.version = row.version
SET n += row.changes, n.revision = n.revision + 1
RETURN row.at AS at
