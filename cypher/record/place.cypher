// Hangs new records below their parents, as long as the parent is there and not deleted.
UNWIND $rows AS row
MATCH (parent:Entity {id: row.from})
WHERE NOT parent.deleted
MATCH (child:Entity {id: row.to})
CREATE (parent)-[:${TYPE}]->(child)
RETURN row.at AS at
