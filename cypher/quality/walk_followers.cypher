// Matches the followers of the targets of tests.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:CONTAINS]-(:Table)<-[:FOLLOWS]-(person:Entity)
RETURN id, person{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS row
