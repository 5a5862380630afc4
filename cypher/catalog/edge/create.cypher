// Creates edges between records.
UNWIND $rows AS row
MATCH (from:Entity {id: row.from})
MATCH (to:Entity {id: row.to})
CREATE (from)-[edge:$(row.type)]->(to)
SET edge = row.properties
RETURN row.at AS at
