// Lists the notifications of a user after one position and since another, optionally of some record types, oldest
// first.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, place)
WHERE note.userId = $userId AND note.place > $edge AND note.place >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId, note.place
LIMIT toInteger($limit)
RETURN note{.*} AS note
