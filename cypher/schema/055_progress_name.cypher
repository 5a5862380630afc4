// How far one piece of work on the sequence of events has come.
CREATE CONSTRAINT Progress_name IF NOT EXISTS FOR (n:Progress) REQUIRE n.name IS UNIQUE
