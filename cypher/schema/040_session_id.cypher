// A session is found by the id in its refresh token and in its access tokens.
CREATE CONSTRAINT Session_id IF NOT EXISTS FOR (n:Session) REQUIRE n.id IS UNIQUE
