// Counts records of one kind below an ancestor whose name has 1 part.
MATCH (n:${LABEL})
USING INDEX SEEK n:${LABEL}(scope1, deleted, sortKey)
WHERE n.scope1 = $scope AND n.deleted = $deleted
  AND n.sortKey > ''
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
RETURN count(n) AS total
