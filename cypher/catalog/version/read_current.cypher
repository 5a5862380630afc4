// Answers the version that a record of one kind is at, and how long its texts are.
MATCH (n:Entity {id: $id})
WHERE n.entityType = $entityType AND n.doomed IS NULL
RETURN n.version AS version,
  reduce(sum = 0, name IN keys(n) | sum + CASE WHEN n[name] IS :: STRING NOT NULL THEN size(n[name]) ELSE 0 END) AS weight
