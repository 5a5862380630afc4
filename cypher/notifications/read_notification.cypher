// Answers one thing that somebody was told.
MATCH (note:Notification {id: $id})
WHERE note.userId = $userId
RETURN note{.*} AS note
