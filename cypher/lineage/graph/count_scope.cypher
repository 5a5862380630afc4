// Counts the living records of one kind in a scope, up to a limit.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, fullyQualifiedName)
WHERE n.entityType = $entityType AND n.fullyQualifiedName STARTS WITH $scope AND substring(n.fullyQualifiedName, size($scope), 1) IN ['', '.']
  AND NOT n.deleted
WITH n
LIMIT toInteger($limit)
RETURN count(n) AS count
