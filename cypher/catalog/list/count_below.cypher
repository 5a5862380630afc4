// Counts records of one kind below an ancestor. Records keep the name of their ancestor of each level in a property of
// its own.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, ${SCOPE}, deleted, sortKey)
WHERE n.entityType = $entityType AND n.${SCOPE} = $scope AND n.deleted = $deleted
  AND n.sortKey > ''
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
RETURN count(n) AS total
