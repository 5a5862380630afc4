// Lists the assets of some kinds in a scope, those with lineage first, among a limited number of examined records.
UNWIND $entityTypes AS entityType
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND ($includeDeleted OR NOT n.deleted)
WITH n
LIMIT toInteger($look)
WITH n, EXISTS { (n)-[:FEEDS]-() } AS isJoined
ORDER BY isJoined DESC, n.fullyQualifiedName
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
