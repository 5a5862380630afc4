// Returns the current revisions of records, without records that do not exist.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN collect(n.id) AS ids, collect(n.revision) AS revisions
