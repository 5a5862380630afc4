// Lists records of one kind, in name order after a position.
MATCH (n:${LABEL})
USING INDEX SEEK n:${LABEL}(deleted, sortKey)
WHERE n.deleted = $deleted
  AND n.sortKey > $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.deleted, n.sortKey
LIMIT toInteger($limit)
RETURN n.id AS id, n.sortKey AS sortKey
