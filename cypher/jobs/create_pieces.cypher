// Keeps pieces of what a job was given or has made.
UNWIND $rows AS row
MERGE (piece:JobPiece {key: row.key})
SET piece.jobId = row.jobId, piece.place = row.place, piece.text = row.text, piece.createdAt = timestamp()
RETURN row.at AS at
