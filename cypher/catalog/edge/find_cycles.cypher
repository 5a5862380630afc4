// Returns the rows whose new edge would close a cycle.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
WHERE from = to OR EXISTS { (to)-[:${TYPE}*1..50]->(from) }
RETURN row.at AS at
