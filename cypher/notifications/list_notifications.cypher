// Lists all or the unread notifications of a user since a position, and after another one in ascending or descending
// order, optionally of some record types. Unread ones keep their position in a property of its own.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, ${POSITION})
WHERE note.userId = $userId AND note.${POSITION} ${AFTER} $edge AND note.${POSITION} >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId${ORDER}, note.${POSITION}${ORDER}
LIMIT toInteger($limit)
RETURN note{.*} AS note
