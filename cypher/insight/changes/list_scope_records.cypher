// Lists the records in a scope, deleted ones included, up to a limit.
UNWIND $entityTypes AS entityType
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = entityType AND n.fullyQualifiedName STARTS WITH $scope AND ($scope = '' OR substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.'])
WITH n
LIMIT toInteger($limit)
RETURN n.id AS id
