// Lists the notifications of a user before one position and since another, optionally of some record types, newest
// first.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, place)
WHERE note.userId = $userId AND note.place < $edge AND note.place >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId DESC, note.place DESC
LIMIT toInteger($limit)
RETURN note{.*} AS note
