// Puts records of one kind back among those that live.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n:Live${LABEL}
RETURN row.at AS at
