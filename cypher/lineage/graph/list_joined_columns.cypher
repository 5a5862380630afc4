// Lists the columns of a record, and the records that represent its columns, that have column lineage.
MATCH (n:Entity {id: $id})-[:HAS_COLUMN*1..100]->(column:Column)
WHERE EXISTS { (column)-[:DERIVES]-() }
WITH column
LIMIT toInteger($limit)
RETURN column.key AS key, column.fullyQualifiedName AS name
UNION ALL
MATCH (n:Entity {id: $id})-[:SHOWS]->(part:Entity)
WHERE part.entityType = 'chart' AND NOT part.deleted AND EXISTS { (part)-[:DERIVES]-() }
WITH part
LIMIT toInteger($limit)
RETURN part.id AS key, part.name AS name
