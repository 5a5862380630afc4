// Lists the pieces of one job between two positions, in order.
MATCH (piece:JobPiece)
USING INDEX SEEK piece:JobPiece(jobId, place)
WHERE piece.jobId = $jobId AND piece.place > $edge AND piece.place < $end
WITH piece ORDER BY piece.jobId, piece.place
LIMIT toInteger($limit)
RETURN piece.place AS place, piece.text AS text
