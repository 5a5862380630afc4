// Stores name references from the owners of texts to named records that still have the name. The named record is locked
// before the check, so that a concurrent rename either finds the reference or has already happened.
UNWIND $rows AS row
MATCH (named:Entity {id: row.id})
SET named.entityType = named.entityType
WITH row, named
WHERE named.fullyQualifiedName = row.fqn
MATCH (owner:Entity {id: row.ownerId})
CREATE (owner)-[:REFERENCES_NAME]->(naming:Naming)
SET naming = row.properties
RETURN row.at AS at
