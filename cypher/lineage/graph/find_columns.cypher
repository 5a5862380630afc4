// Finds columns by key, or by name when separate records represent the columns of a record.
UNWIND $keys AS key
MATCH (column:Column {key: key})
RETURN key, column.fullyQualifiedName AS name
UNION ALL
UNWIND $names AS name
MATCH (:Entity {id: $id})-[:SHOWS]->(part:Entity)
WHERE part.name = name AND part.entityType = 'chart' AND NOT part.deleted
RETURN part.id AS key, part.name AS name
