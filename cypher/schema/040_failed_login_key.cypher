// Failed logins are counted once per address, whichever process saw them.
CREATE CONSTRAINT FailedLogin_key IF NOT EXISTS FOR (n:FailedLogin) REQUIRE n.key IS UNIQUE
