// Counts records of one kind that match the filters.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey > ''
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
RETURN count(n) AS total
