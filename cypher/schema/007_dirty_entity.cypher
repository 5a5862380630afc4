// A record is marked for the search index once, however often it changes.
CREATE CONSTRAINT Dirty_entityId IF NOT EXISTS FOR (n:Dirty) REQUIRE n.entityId IS UNIQUE
