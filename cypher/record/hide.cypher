// Takes records of one kind out of those that live.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
REMOVE n:Live${LABEL}
RETURN row.at AS at
