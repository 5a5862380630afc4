// An identity at a provider belongs to one person.
CREATE CONSTRAINT LinkedIdentity_key IF NOT EXISTS FOR (n:LinkedIdentity) REQUIRE n.key IS UNIQUE
