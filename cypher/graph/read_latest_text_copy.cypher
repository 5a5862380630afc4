// Reads the newest copy of a record's long texts.
MATCH (:Entity {id: $entityId})-[:HAS_COPY]->(copy:TextCopy)
WITH copy ORDER BY copy.serial DESC, copy.id
LIMIT 1
RETURN copy.id AS id, copy.serial AS serial, copy.depth AS depth, copy.fullLength AS fullLength
