// Deletes present and past edges that others take the place of.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})-[edge:FEEDS|FED_UNTIL]->(to:Entity {id: row.to})
WHERE edge.id = row.edgeId
// The index still leads to a deleted edge within the transaction.
SET edge.awaitsCount = null
DELETE edge
SET from.edgeRevision = coalesce(from.edgeRevision, 0) + 1, to.edgeRevision = coalesce(to.edgeRevision, 0) + 1
RETURN row.at AS at
