// Tokens that count no longer are found by their digests.
CREATE CONSTRAINT LoggedOut_digest IF NOT EXISTS FOR (n:LoggedOut) REQUIRE n.digest IS UNIQUE
