// Lists former states of records of one kind that were made in a stretch of time, oldest first, after a place
// in that order. The place is told by a choice and not by alternatives: the planner would look those up one by one.
MATCH (n:Version)
USING INDEX SEEK n:Version(entityType, at, entityId, version)
WHERE n.entityType = $entityType AND n.at >= $from AND n.at <= $to AND n.entityId > '' AND n.version > 0
  AND CASE n.at WHEN $at THEN n.entityId > $id OR (n.entityId = $id AND n.version > $version) ELSE true END
WITH n ORDER BY n.entityType, n.at, n.entityId, n.version
LIMIT toInteger($limit)
RETURN n.entityId AS id, n.at AS at, n.version AS version, n.json AS json
