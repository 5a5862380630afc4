// An event is told once.
CREATE CONSTRAINT ChangeEvent_id IF NOT EXISTS FOR (n:ChangeEvent) REQUIRE n.id IS UNIQUE
