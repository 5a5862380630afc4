// Lists the unread notifications of a user after one position and since another, optionally of some record types,
// oldest first.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, unread)
WHERE note.userId = $userId AND note.unread > $edge AND note.unread >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId, note.unread
LIMIT toInteger($limit)
RETURN note{.*} AS note
