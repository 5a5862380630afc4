// Returns one record with an edge of the type to the given record, if there is any.
MATCH (:Entity {id: $id})<-[:${TYPE}]-(other:Entity)
RETURN other.id AS entityId, other.entityType AS entityType, other.name AS name
LIMIT 1
