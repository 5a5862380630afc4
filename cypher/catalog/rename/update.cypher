// Renames records that still have the name they were read with. The lock comes before the check.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.fullyQualifiedName = row.formerName
// No version records the name of an ancestor, so the time of the last version is remembered beside that of the rename.
SET n.changedAt = coalesce(n.changedAt, n.updatedAt), n.revision = n.revision + 1, n += row.changes
RETURN row.at AS at
