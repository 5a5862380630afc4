// A record is found by its id whatever its kind.
CREATE CONSTRAINT Entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE
