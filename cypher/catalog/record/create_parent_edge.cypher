// Links new records to their parents, if the parent is not deleted and its name matches the child's name. The parent is
// locked before it is checked, so that a concurrent deletion or rename either sees the child or prevents it.
UNWIND $rows AS row
MATCH (parent:Entity {id: row.from})
SET parent.entityType = parent.entityType
WITH parent, row
WHERE NOT parent.deleted AND parent.fullyQualifiedName = row.parentName
MATCH (child:Entity {id: row.to})
CREATE (parent)-[:$(row.type)]->(child)
RETURN row.at AS at
