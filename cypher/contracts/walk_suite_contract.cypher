// Matches the contracts whose expected tests the suites hold.
UNWIND $ids AS id
MATCH (:Entity {id: id})<-[:PARENT_OF]-(contract:DataContract)
RETURN id, contract{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted} AS ref
