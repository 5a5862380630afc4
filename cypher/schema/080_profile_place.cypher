// A profile is its series and its moment, which together are its place among all others; those of one sort are read by it.
CREATE CONSTRAINT Profile_place IF NOT EXISTS FOR (n:Profile) REQUIRE n.place IS UNIQUE
