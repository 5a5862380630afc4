// Creates or updates edges that still have the expected revision, and creates new assertions about them. It locks the
// edge before it compares the revision.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
MERGE (from)-[edge:FEEDS]->(to)
ON CREATE SET edge.revision = 0, edge.awaitsCount = true
SET edge.id = edge.id
WITH row, from, to, edge
WHERE edge.revision = row.revision
SET edge += row.changes, edge.revision = row.revision + 1
// Neither record has changed, only what lies around them.
SET from.edgeRevision = coalesce(from.edgeRevision, 0) + 1, to.edgeRevision = coalesce(to.edgeRevision, 0) + 1
FOREACH (properties IN row.assertions |
  CREATE (said:Assertion)
  SET said = properties
)
RETURN row.at AS at
