// Lists a page of the records that an edge of one type joins to a record in one direction, ordered by name.
MATCH (n:Entity {id: $id})
MATCH (n)${IN}-[:${TYPE}]-${OUT}(o:Entity)
WHERE NOT o.deleted
WITH DISTINCT o ORDER BY o.sortKey
SKIP toInteger($offset) LIMIT toInteger($limit)
RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
