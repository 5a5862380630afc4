// Reads one notification.
MATCH (note:Notification {id: $id})
WHERE note.userId = $userId
RETURN note{.*} AS note
