// Counts former states that were made in a stretch of time for each record of one kind.
MATCH (n:Version)
USING INDEX SEEK n:Version(entityType, at, entityId, version)
WHERE n.entityType = $entityType AND n.at >= $from AND n.at <= $to AND n.entityId > '' AND n.version > 0
RETURN n.entityId AS id, count(n) AS total
