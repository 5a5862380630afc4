// Lists a page of the records that a record has an edge of one type to, ordered by name.
MATCH (n:Entity {id: $id})
MATCH (n)-[:${TYPE}]->(o:Entity)
WHERE NOT o.deleted
WITH DISTINCT o ORDER BY o.sortKey
SKIP toInteger($offset) LIMIT toInteger($limit)
RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
