// Whether another engine is fed is asked with every change.
CREATE CONSTRAINT Feeding_name IF NOT EXISTS FOR (n:Feeding) REQUIRE n.name IS UNIQUE
