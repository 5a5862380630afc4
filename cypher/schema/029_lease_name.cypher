// What one process at a time may do.
CREATE CONSTRAINT Lease_name IF NOT EXISTS FOR (n:Lease) REQUIRE n.name IS UNIQUE
