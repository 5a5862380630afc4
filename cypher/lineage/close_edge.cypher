// Closes edges that still have the expected revision and keeps them as past lineage.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})-[edge:FEEDS]->(to:Entity {id: row.to})
SET edge.id = edge.id
WITH row, from, to, edge
WHERE edge.revision = row.revision
CREATE (from)-[past:FED_UNTIL]->(to)
SET past = properties(edge), past.until = row.until, past.awaitsCount = null
// The index still leads to a deleted edge within the transaction.
SET edge.awaitsCount = null
DELETE edge
// Neither record has changed, only what lies around them.
SET from.edgeRevision = coalesce(from.edgeRevision, 0) + 1, to.edgeRevision = coalesce(to.edgeRevision, 0) + 1
RETURN row.at AS at
