// Counts what somebody was told since a place in the order of time, of some types of records if so wished, in all or record by record.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, place)
WHERE note.userId = $userId AND note.place >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
RETURN CASE WHEN $byRecord THEN note.entityType END AS entityType,
  CASE WHEN $byRecord THEN note.entityId END AS entityId,
  CASE WHEN $byRecord THEN note.ends END AS ends, count(note) AS total
