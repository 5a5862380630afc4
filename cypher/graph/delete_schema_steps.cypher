// Removes the records of steps of the schema that are no longer part of it.
MATCH (n:SchemaStep)
WHERE n.name IN $names
DELETE n
