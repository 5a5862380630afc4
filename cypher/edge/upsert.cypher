// Joins records by one type of edge unless they are joined already, and replaces what the edge carries.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
MERGE (from)-[edge:${TYPE}]->(to)
SET edge = row.properties
RETURN row.at AS at
