// Stores pieces of the input or the result of a job.
UNWIND $rows AS row
MERGE (piece:JobPiece {key: row.key})
SET piece.jobId = row.jobId, piece.place = row.place, piece.text = row.text, piece.createdAt = timestamp()
RETURN row.at AS at
