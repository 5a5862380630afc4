// Tokens that must be known to count are found by their digests.
CREATE CONSTRAINT IssuedToken_digest IF NOT EXISTS FOR (n:IssuedToken) REQUIRE n.digest IS UNIQUE
