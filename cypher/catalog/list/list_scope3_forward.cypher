// Lists records of one kind below an ancestor whose name has 3 parts, in name order after a position.
MATCH (n:${LABEL})
USING INDEX SEEK n:${LABEL}(scope3, deleted, sortKey)
WHERE n.scope3 = $scope AND n.deleted = $deleted
  AND n.sortKey > $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.scope3, n.deleted, n.sortKey
LIMIT toInteger($limit)
RETURN n.id AS id, n.sortKey AS sortKey
