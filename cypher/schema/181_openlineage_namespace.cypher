// A namespace of OpenLineage stands for one record.
CREATE CONSTRAINT OpenLineageNamespace_name IF NOT EXISTS FOR (n:OpenLineageNamespace) REQUIRE n.name IS UNIQUE
