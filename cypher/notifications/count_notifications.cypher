// Counts all or the unread notifications of a user since a position in time order, optionally of some record types, in
// total or by record.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, ${POSITION})
WHERE note.userId = $userId AND note.${POSITION} >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
RETURN CASE WHEN $byRecord THEN note.entityType END AS entityType,
  CASE WHEN $byRecord THEN note.entityId END AS entityId,
  CASE WHEN $byRecord THEN note.ends END AS ends, count(note) AS total
