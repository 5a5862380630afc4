// Each step of the schema is recorded once.
CREATE CONSTRAINT SchemaStep_name IF NOT EXISTS FOR (n:SchemaStep) REQUIRE n.name IS UNIQUE
