// The pieces of a job are read in their order.
CREATE INDEX JobPiece_place IF NOT EXISTS FOR (n:JobPiece) ON (n.jobId, n.place)
