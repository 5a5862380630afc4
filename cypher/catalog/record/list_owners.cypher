// Lists the owners of records and of what contains them, with who appointed them.
UNWIND $ids AS id
MATCH path = (:Entity {id: id})<-[:CONTAINS*0..50]-(:Entity)<-[owns:OWNS]-(owner:Entity)
WHERE NOT owner.deleted
RETURN id, owner.id AS owner, owns.appointedBy AS appointedBy, length(path) - 1 AS distance
