// Removes a batch of old pieces without a job; answers how many.
MATCH (piece:JobPiece)
WHERE piece.createdAt < timestamp() - toInteger($ageMs)
  AND NOT EXISTS { (job:Job {jobId: piece.jobId}) }
WITH piece LIMIT toInteger($limit)
DELETE piece
RETURN count(*) AS removed
