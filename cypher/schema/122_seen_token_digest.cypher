// A token is used for the first time once.
CREATE CONSTRAINT SeenToken_digest IF NOT EXISTS FOR (n:SeenToken) REQUIRE n.digest IS UNIQUE
