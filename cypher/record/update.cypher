// Changes records that are still at the version the change was made from, and, when they are renamed, still bear the name
// it was made from: what is above them may have been renamed as well. The lock is taken by the first SET, before either is
// looked at: a lock taken late would compare stale values.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.version = row.version AND (row.formerName IS NULL OR n.fullyQualifiedName = row.formerName)
SET n += row.changes, n.revision = n.revision + 1
RETURN row.at AS at
