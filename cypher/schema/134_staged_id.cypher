// What is staged is found by its own id, before it is a record.
CREATE CONSTRAINT Staged_id IF NOT EXISTS FOR (n:Staged) REQUIRE n.stageId IS UNIQUE
