// Creates present and past column pairs; those that have ended are past. Records may stand for columns.
UNWIND $rows AS row
OPTIONAL MATCH (fromColumn:Column {key: row.from})
OPTIONAL MATCH (fromPart:Entity {id: row.from})
OPTIONAL MATCH (toColumn:Column {key: row.to})
OPTIONAL MATCH (toPart:Entity {id: row.to})
WITH row, coalesce(fromColumn, fromPart) AS from, coalesce(toColumn, toPart) AS to
WHERE from IS NOT NULL AND to IS NOT NULL
FOREACH (_ IN CASE WHEN row.until IS NULL THEN [1] ELSE [] END |
  CREATE (from)-[:DERIVES {edgeId: row.edgeId, since: row.since}]->(to)
)
FOREACH (_ IN CASE WHEN row.until IS NULL THEN [] ELSE [1] END |
  CREATE (from)-[:DERIVED {edgeId: row.edgeId, since: row.since, until: row.until}]->(to)
)
RETURN row.at AS at
