// Where somebody logged in before is looked up with every login.
CREATE CONSTRAINT KnownLogin_key IF NOT EXISTS FOR (n:KnownLogin) REQUIRE n.key IS UNIQUE
