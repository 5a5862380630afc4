// Deletes a batch of expired nodes and returns their number.
MATCH (gone:Expiring)
WHERE gone.expiresAt <= $now
WITH gone LIMIT toInteger($limit)
DETACH DELETE gone
RETURN count(*) AS removed
