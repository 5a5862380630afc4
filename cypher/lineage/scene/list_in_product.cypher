// Lists the assets of some kinds in a data product, those with lineage first, among a limited number of examined records.
MATCH (:Entity {id: $id})-[:HAS_ASSET]->(n:Entity)
WHERE n.entityType IN $entityTypes AND ($includeDeleted OR NOT n.deleted)
WITH n
LIMIT toInteger($look)
WITH n, EXISTS { (n)-[:FEEDS]-() } AS isJoined
ORDER BY isJoined DESC, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
