// Updates records that are still at the version the change is based on. A renamed record must also still have its
// former name, because an ancestor may have been renamed. The first SET takes the lock before both checks: a later lock
// would compare stale values.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.version = row.version AND (row.formerName IS NULL OR n.fullyQualifiedName = row.formerName)
SET n += row.changes, n.revision = n.revision + 1
RETURN row.at AS at
