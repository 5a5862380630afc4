// Answers the rows whose target no other record reaches by one type of edge; a row whose target is gone is for the
// statement that draws the edge to tell. The lock is taken first: a lock taken late would look at stale edges.
UNWIND $rows AS row
OPTIONAL MATCH (to:Entity {id: row.to})
SET to.entityType = to.entityType
WITH row, to
WHERE NOT EXISTS { (to)<-[:${TYPE}]-(other:Entity WHERE other.id <> row.from) }
RETURN row.at AS at
