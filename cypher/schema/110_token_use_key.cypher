// When a token or a session was used last is kept in one place.
CREATE CONSTRAINT TokenUse_key IF NOT EXISTS FOR (n:TokenUse) REQUIRE n.key IS UNIQUE
