// Lists records of one kind, in reverse name order before a position.
MATCH (n:${LABEL})
USING INDEX SEEK n:${LABEL}(deleted, sortKey)
WHERE n.deleted = $deleted
  AND n.sortKey < $edge
  AND all(name IN keys($equals) WHERE n[name] = $equals[name])
  AND all(name IN keys($items) WHERE $items[name] IN n[name])
  AND all(prefix IN $prefixes WHERE n.fullyQualifiedName STARTS WITH prefix)
WITH n ORDER BY n.deleted DESC, n.sortKey DESC
LIMIT toInteger($limit)
RETURN n.id AS id, n.sortKey AS sortKey
