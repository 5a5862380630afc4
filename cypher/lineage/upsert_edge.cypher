// Makes edges what they are to be, as long as they are still what they were seen to be. The lock comes before the look.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
MERGE (from)-[edge:FEEDS]->(to)
ON CREATE SET edge.revision = 0
SET edge.id = edge.id
WITH row, from, to, edge
WHERE edge.revision = row.revision
SET edge += row.changes, edge.revision = row.revision + 1
SET from.revision = from.revision + 1
// The record at the other end is held, but it has not changed: the edge is told of the one it begins at.
SET to.entityType = to.entityType
RETURN row.at AS at
