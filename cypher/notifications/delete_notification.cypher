// Removes one notification.
MATCH (note:Notification {id: $id})
WHERE note.userId = $userId
DETACH DELETE note
RETURN count(*) AS removed
