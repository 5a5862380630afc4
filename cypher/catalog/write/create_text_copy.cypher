// Stores copies of long texts about records that are still there.
UNWIND $rows AS row
MATCH (n:Entity {id: row.entityId})
CREATE (n)-[:HAS_COPY]->(copy:TextCopy)
SET copy = row.copy
RETURN row.at AS at
