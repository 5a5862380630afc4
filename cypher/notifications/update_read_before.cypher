// Says that somebody has read some of what they were told before a place in the order of time.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, unread)
WHERE note.userId = $userId AND note.unread < $edge
WITH note LIMIT toInteger($limit)
SET note.unread = null
RETURN note.entityType AS entityType, note.entityId AS entityId, note.ends AS ends
