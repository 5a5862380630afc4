// Returns the rows whose target no other record reaches by this type of edge; the statement that creates the edge
// reports a missing target. The lock is taken first, because a later lock would read stale edges.
UNWIND $rows AS row
OPTIONAL MATCH (to:Entity {id: row.to})
SET to.entityType = to.entityType
WITH row, to
WHERE NOT EXISTS { (to)<-[:${TYPE}]-(other:Entity WHERE other.id <> row.from) }
RETURN row.at AS at
