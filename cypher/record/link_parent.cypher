// Hangs new records below their parents, as long as the parent is there, not deleted, and called what the name of the
// child says. The lock on the parent is taken before it is looked at, so that a deletion or a renaming under way either
// sees the child or keeps it out.
UNWIND $rows AS row
MATCH (parent:Entity {id: row.from})
SET parent.entityType = parent.entityType
WITH parent, row
WHERE NOT parent.deleted AND parent.fullyQualifiedName = row.parentName
MATCH (child:Entity {id: row.to})
CREATE (parent)-[:${TYPE}]->(child)
RETURN row.at AS at
