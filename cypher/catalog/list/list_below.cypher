// Lists records of one kind below an ancestor, after a position in ascending or descending name order. Records keep the
// name of their ancestor of each level in a property of its own.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, ${SCOPE}, deleted, sortKey)
WHERE n.entityType = $entityType AND n.${SCOPE} = $scope AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.entityType${ORDER}, n.${SCOPE}${ORDER}, n.deleted${ORDER}, n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
