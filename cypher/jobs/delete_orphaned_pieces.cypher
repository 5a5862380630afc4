// Removes some old pieces whose job never came to be, and tells how many.
MATCH (piece:JobPiece)
WHERE piece.createdAt < timestamp() - toInteger($ageMs)
  AND NOT EXISTS { (job:Job {jobId: piece.jobId}) }
WITH piece LIMIT toInteger($limit)
DELETE piece
RETURN count(*) AS removed
