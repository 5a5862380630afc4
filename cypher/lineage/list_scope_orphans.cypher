// Lists the records of one kind in a scope that no lineage is known of.
MATCH (n:${LABEL})
WHERE n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
  AND NOT n.deleted AND NOT EXISTS { (n)-[:FEEDS]-() } AND NOT EXISTS { ()-[carried:FEEDS]->() WHERE carried.pipelineId = n.id }
WITH n
LIMIT toInteger($limit)
RETURN n{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS node
