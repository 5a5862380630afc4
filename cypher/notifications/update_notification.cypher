// Marks a notification as read or unread.
MATCH (note:Notification {id: $id})
WHERE note.userId = $userId
SET note.unread = CASE WHEN $isRead THEN null ELSE note.place END
RETURN note{.*} AS note
