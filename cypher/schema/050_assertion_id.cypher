// What one source says of an edge of lineage is found by its id.
CREATE CONSTRAINT Assertion_id IF NOT EXISTS FOR (n:Assertion) REQUIRE n.id IS UNIQUE
