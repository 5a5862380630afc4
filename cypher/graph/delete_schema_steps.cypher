// Deletes the records of schema steps that are no longer part of the program.
MATCH (n:SchemaStep)
WHERE n.name IN $names
DELETE n
