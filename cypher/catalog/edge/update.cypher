// Creates edges of one type between records where they are missing, and replaces the properties of the edges.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
MERGE (from)-[edge:${TYPE}]->(to)
SET edge = row.properties
RETURN row.at AS at
