// Joins records by one type of edge.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
CREATE (from)-[edge:${TYPE}]->(to)
SET edge = row.properties
RETURN row.at AS at
