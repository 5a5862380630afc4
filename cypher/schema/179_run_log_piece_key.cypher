// The log of a run is kept in numbered pieces, which are found by the run and their numbers.
CREATE CONSTRAINT RunLogPiece_key IF NOT EXISTS FOR (n:RunLogPiece) REQUIRE n.key IS UNIQUE
