// What a record is found by is kept once.
CREATE CONSTRAINT SearchDoc_id IF NOT EXISTS FOR (n:SearchDoc) REQUIRE n.id IS UNIQUE
