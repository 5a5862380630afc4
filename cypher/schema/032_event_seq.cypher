// A number is given once.
CREATE CONSTRAINT ChangeEvent_seq IF NOT EXISTS FOR (n:ChangeEvent) REQUIRE n.seq IS UNIQUE
