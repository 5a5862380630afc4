// A saved query is found by its name, which is unique.
CREATE CONSTRAINT SavedQuery_name IF NOT EXISTS FOR (n:SavedQuery) REQUIRE n.name IS UNIQUE
