// Removes one thing that somebody was told.
MATCH (note:Notification {id: $id})
WHERE note.userId = $userId
DETACH DELETE note
RETURN count(*) AS removed
