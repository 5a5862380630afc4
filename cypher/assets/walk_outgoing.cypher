// Lists the ids and types of all records that a record has an edge of one type to, ordered by name.
MATCH (n:Entity {id: $id})
MATCH (n)-[:${TYPE}]->(o:Entity)
WHERE NOT o.deleted
WITH DISTINCT o ORDER BY o.sortKey
LIMIT toInteger($limit)
RETURN o.id AS entityId, o.entityType AS entityType
