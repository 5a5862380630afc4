// Creates the top-level columns of records.
UNWIND $rows AS row
MATCH (owner:Entity {id: row.ownerId})
UNWIND row.columns AS column
CREATE (owner)-[:HAS_COLUMN {position: column.position}]->(c:Column)
SET c = column.properties
RETURN DISTINCT row.at AS at
