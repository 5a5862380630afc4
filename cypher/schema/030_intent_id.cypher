// A change that is still making its way through the records below its root.
CREATE CONSTRAINT Intent_id IF NOT EXISTS FOR (n:Intent) REQUIRE n.id IS UNIQUE
