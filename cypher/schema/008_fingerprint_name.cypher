// What all processes on one store must agree on.
CREATE CONSTRAINT Fingerprint_name IF NOT EXISTS FOR (n:Fingerprint) REQUIRE n.name IS UNIQUE
