// A column is its owner, its section and the names on the way to it.
CREATE CONSTRAINT Column_key IF NOT EXISTS FOR (n:Column) REQUIRE n.key IS UNIQUE
