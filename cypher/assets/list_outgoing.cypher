// Answers a page of the records joined to one by a type of edge, in the order of names.
MATCH (n:Entity {id: $id})
MATCH (n)-[:${TYPE}]->(o:Entity)
WHERE NOT o.deleted
WITH DISTINCT o ORDER BY o.sortKey
SKIP toInteger($offset) LIMIT toInteger($limit)
RETURN o{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
