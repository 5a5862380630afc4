// Pieces whose job never came to be are found by their age.
CREATE INDEX JobPiece_createdAt IF NOT EXISTS FOR (n:JobPiece) ON (n.createdAt)
