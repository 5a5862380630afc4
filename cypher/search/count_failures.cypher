// Counts the records whose documents could not be built or sent.
MATCH (mark:Dirty|Unsent)
WHERE mark.failedAt > 0 AND ($entityType IS NULL OR mark.entityType = $entityType)
RETURN count(mark) AS total
