// There is one counter of a name.
CREATE CONSTRAINT Sequence_name IF NOT EXISTS FOR (n:Sequence) REQUIRE n.name IS UNIQUE
