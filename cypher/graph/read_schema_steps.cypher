// Answers the steps of the schema that have been applied, and the index or constraint that each of them has made.
MATCH (n:SchemaStep)
RETURN n.name AS name, n.hash AS hash, n.version AS version, n.object AS object
