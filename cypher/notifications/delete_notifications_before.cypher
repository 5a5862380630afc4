// Removes some of what people were told before a place in the order of time.
MATCH (note:Notification)
WHERE note.place < $edge
WITH note LIMIT toInteger($limit)
DETACH DELETE note
RETURN count(*) AS removed
