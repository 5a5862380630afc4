// Lists what somebody was told after a place in the order of time and since another one, of some types of records if so wished, oldest first.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, place)
WHERE note.userId = $userId AND note.place > $edge AND note.place >= $since
  AND ($entityTypes IS NULL OR note.entityType IN $entityTypes)
WITH note ORDER BY note.userId, note.place
LIMIT toInteger($limit)
RETURN note{.*} AS note
