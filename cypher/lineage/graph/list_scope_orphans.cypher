// Lists the records without lineage of one kind in a scope, among a limited number of examined records.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND NOT n.deleted
WITH n
LIMIT toInteger($look)
WHERE NOT EXISTS { (n)-[:FEEDS]-() }
  AND NOT (n.entityType IN $carrierTypes AND EXISTS { ()-[carried:FEEDS]->() WHERE carried.pipelineId = n.id })
WITH n
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
