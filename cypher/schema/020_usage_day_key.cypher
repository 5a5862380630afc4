// A record has one count per day; its days are read by ranges of this key.
CREATE CONSTRAINT UsageDay_key IF NOT EXISTS FOR (n:UsageDay) REQUIRE n.key IS UNIQUE
