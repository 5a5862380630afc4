// Answers one of the records from which a type of edge leads to a record, if there are any.
MATCH (:Entity {id: $id})<-[:${TYPE}]-(other:Entity)
RETURN other.name AS name
LIMIT 1
