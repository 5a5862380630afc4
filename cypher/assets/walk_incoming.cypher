// Answers of all records joined to one by a type of edge which they are, in the order of names.
MATCH (n:Entity {id: $id})
MATCH (n)<-[:${TYPE}]-(o:Entity)
WHERE NOT o.deleted
WITH DISTINCT o ORDER BY o.sortKey
LIMIT toInteger($limit)
RETURN o.id AS entityId, o.entityType AS entityType
