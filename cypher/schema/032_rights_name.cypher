// How often what callers may do has changed is told in one place.
CREATE CONSTRAINT Rights_name IF NOT EXISTS FOR (n:Rights) REQUIRE n.name IS UNIQUE
