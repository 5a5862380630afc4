// Creates present and past edges with all their properties.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
FOREACH (_ IN CASE WHEN row.isLive THEN [1] ELSE [] END |
  CREATE (from)-[edge:FEEDS]->(to)
  SET edge = row.properties, edge.awaitsCount = true, edge.isCounted = null
)
FOREACH (_ IN CASE WHEN row.isLive THEN [] ELSE [1] END |
  CREATE (from)-[edge:FED_UNTIL]->(to)
  SET edge = row.properties, edge.isCounted = null
)
SET from.edgeRevision = coalesce(from.edgeRevision, 0) + 1, to.edgeRevision = coalesce(to.edgeRevision, 0) + 1
RETURN row.at AS at
