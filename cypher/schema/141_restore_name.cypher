// A store is being restored, or it is not.
CREATE CONSTRAINT Restore_name IF NOT EXISTS FOR (n:Restore) REQUIRE n.name IS UNIQUE
