// Lists records of one kind, after a position in ascending or descending name order.
MATCH (n:${LABEL})
USING INDEX SEEK n:${LABEL}(deleted, sortKey)
WHERE n.deleted = $deleted
  AND n.sortKey ${AFTER} $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.deleted${ORDER}, n.sortKey${ORDER}
LIMIT toInteger($limit)
RETURN n.id AS id, n.sortKey AS sortKey
