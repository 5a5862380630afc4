// Lists some descendants of one kind that are named in texts, with their current names.
MATCH (naming:Naming)
USING INDEX SEEK naming:Naming(target)
WHERE naming.target STARTS WITH $prefix
WITH DISTINCT naming.target AS target
LIMIT toInteger($limit)
MATCH (below:Entity {entityType: $entityType, fullyQualifiedName: substring(target, size($entityType) + 1)})
MATCH (root:Entity {id: $id})
WHERE root.id IN [(below)<-[:CONTAINS|PARENT_OF*1..50]-(above:Entity) | above.id]
RETURN below.id AS id, below.entityType AS entityType, below.fullyQualifiedName AS fullyQualifiedName, below.updatedAt AS updatedAt, root.fullyQualifiedName AS rootName
