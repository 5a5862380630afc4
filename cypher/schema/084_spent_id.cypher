// What is left of columns with more profiles than were removed with them is looked for by its id.
CREATE CONSTRAINT Spent_id IF NOT EXISTS FOR (n:Spent) REQUIRE n.id IS UNIQUE
