// Lists records of one kind, after a position in ascending or descending name order.
MATCH (n:Entity)
USING INDEX SEEK n:Entity(entityType, deleted, sortKey)
WHERE n.entityType = $entityType AND n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.entityType${ORDER}, n.deleted${ORDER}, n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN collect(n.id) AS ids, collect(n.sortKey) AS sortKeys, collect(n.revision) AS revisions
