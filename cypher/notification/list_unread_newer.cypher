// Lists what somebody was told and has not read after a place in the order of time and since another one, of some types of records if so wished, oldest first.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, unread)
WHERE note.userId = $userId AND note.unread > $edge AND note.unread >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId, note.unread
LIMIT toInteger($limit)
RETURN note{.*} AS note
