// Counts former states of records of one kind that were made in a stretch of time.
MATCH (n:Version)
USING INDEX SEEK n:Version(entityType, at, entityId, version)
WHERE n.entityType = $entityType AND n.at >= $from AND n.at <= $to AND n.entityId > '' AND n.version > 0
RETURN count(n) AS total
