// Lists those of some records that events created and no connector has brought in since.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.sourceHash = $mark
RETURN id
