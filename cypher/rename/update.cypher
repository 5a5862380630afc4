// Gives records other names that still bear those they were seen with. The lock comes before the look.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n.entityType = n.entityType
WITH n, row
WHERE n.fullyQualifiedName = row.formerName
SET n.revision = n.revision + 1, n += row.changes
RETURN row.at AS at
