// Marks a batch of the unread notifications of a user before a position in time order as read.
MATCH (note:Notification)
USING INDEX SEEK note:Notification(userId, unread)
WHERE note.userId = $userId AND note.unread < $edge
WITH note LIMIT toInteger($limit)
SET note.unread = null
RETURN note.entityType AS entityType, note.entityId AS entityId, note.ends AS ends
