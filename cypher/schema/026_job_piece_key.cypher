// What a job was given and what it made are kept in pieces; a piece written again replaces the former one.
CREATE CONSTRAINT JobPiece_key IF NOT EXISTS FOR (n:JobPiece) REQUIRE n.key IS UNIQUE
