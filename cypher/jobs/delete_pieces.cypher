// Removes a batch of the pieces of one job; answers how many.
MATCH (piece:JobPiece)
USING INDEX SEEK piece:JobPiece(jobId, place)
WHERE piece.jobId = $jobId AND piece.place > $edge AND piece.place < $end
WITH piece LIMIT toInteger($limit)
DELETE piece
RETURN count(*) AS removed
