// Lists former states of records of one kind that were made in a stretch of time, after a position in ascending or
// descending order. The position is given by a choice and not by alternatives: the planner would look those up one by
// one.
MATCH (n:Version)
USING INDEX SEEK n:Version(entityType, at, entityId, version)
WHERE n.entityType = $entityType AND n.at >= $from AND n.at <= $to AND n.entityId > '' AND n.version > 0
  AND CASE n.at WHEN $at THEN n.entityId ${AFTER} $id OR (n.entityId = $id AND n.version ${AFTER} $version) ELSE true END
WITH n ORDER BY n.entityType${ORDER}, n.at${ORDER}, n.entityId${ORDER}, n.version${ORDER}
LIMIT toInteger($limit)
RETURN n.entityId AS id, n.at AS at, n.version AS version, n.json AS json
