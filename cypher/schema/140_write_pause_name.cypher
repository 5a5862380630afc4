// One backup at a time holds writes back.
CREATE CONSTRAINT WritePause_name IF NOT EXISTS FOR (n:WritePause) REQUIRE n.name IS UNIQUE
