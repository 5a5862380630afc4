// Hangs new records below their parents, as long as the parent is there and not deleted. The lock on the parent is taken
// before it is looked at, so that a deletion under way either sees the child or keeps it out.
UNWIND $rows AS row
MATCH (parent:Entity {id: row.from})
SET parent.revision = parent.revision
WITH parent, row
WHERE NOT parent.deleted
MATCH (child:Entity {id: row.to})
CREATE (parent)-[:${TYPE}]->(child)
RETURN row.at AS at
