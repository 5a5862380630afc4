// Notes that records name others in their texts, as long as those still bear the name. The lock on what is named comes
// before the look: whoever gives it another name either finds the note or has come first.
UNWIND $rows AS row
MATCH (named:Entity {id: row.id})
SET named.entityType = named.entityType
WITH row, named
WHERE named.fullyQualifiedName = row.fqn
MATCH (owner:Entity {id: row.ownerId})
CREATE (owner)-[:NAMES]->(naming:Naming)
SET naming = row.properties
RETURN row.at AS at
