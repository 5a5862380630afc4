// A record is noted once, however often it changes before it is sent.
CREATE CONSTRAINT Unsent_entityId IF NOT EXISTS FOR (n:Unsent) REQUIRE n.entityId IS UNIQUE
